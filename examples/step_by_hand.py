"""Step through a game by hand: the hand of a seat, its legal moves, and the end."""

from arena import Rng, State, load_rules, make_deal

rules = load_rules("base")
state = State(rules, make_deal(rules, seed=1, number=0))
rng = Rng(1)
while not state.is_over:
    moves = state.legal_moves()
    view = state.view(state.to_move)
    print(f"{state.turns:2} {'ab'[state.to_move]}: {' '.join(view.hand)}; {len(moves)} moves, such as {moves[0]}")
    state.apply(rng.choice(moves))
print(state.owners, state.outcome)
