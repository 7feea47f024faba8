"""A bot that searches: each move is tried in games played on at random from positions that may be the real one."""

from arena import Bot, Move, State, View, play_game


class Searcher(Bot):
    def __init__(self, samples: int = 3) -> None:
        self.samples = samples

    def act(self, view: View, moves: list[Move]) -> Move:
        positions = [view.sample(view.rng) for _ in range(self.samples)]
        return max(moves, key=lambda move: sum(self.wins(view, position.copy(), move) for position in positions))

    def wins(self, view: View, position: State, move: Move) -> bool:
        position.apply(move)
        return position.rollout(view.rng) == view.seat


if __name__ == "__main__":
    print(repr(play_game(Searcher, "random", seed=1)))
