"""Train a policy on 256 games at once with JAX and optax. It learns from `odds`; `vec.py` beside it plays it.

    pip install 'schotten-arena[gymnasium]' jax optax
    python examples/rl/train_vec.py --seed 1
    arena match examples/rl/vec.py greedy --games 200

The actions decide for both seats. In each position the teacher values all legal moves; the policy sees only the cards
and learns to prefer the moves that the teacher prefers (policy distillation).
"""

import argparse
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from vec import logits_of, stones_of

from arena.adapters.gymnasium_env import SchottenTottenVec
from arena.policy import Evaluator

GAMES, HIDDEN = 256, 192
TEMPER, NOISE = 0.05, 0.2  # for preferences, softmax of logit(value) / TEMPER; for the moves made, weight of chance

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=5000, help="batches of a position from each game")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--out", type=Path, default=Path(__file__).with_name("vec.npz"))
asked = parser.parse_args()

envs = SchottenTottenVec(GAMES, copy=False)
teacher, rng = Evaluator(hand=0.8, draw=0.8), np.random.default_rng(asked.seed)
observations, info = envs.reset(seed=asked.seed)
shapes = {"w0": (223, HIDDEN), "w1": (HIDDEN, HIDDEN), "w2": (HIDDEN, HIDDEN), "w3": (HIDDEN, 54)}
weights = {name: jnp.asarray(rng.normal(0, (2 / a) ** 0.5, (a, b)), jnp.float32) for name, (a, b) in shapes.items()}
weights |= {"b0": jnp.zeros(HIDDEN), "b2": jnp.zeros(HIDDEN), "b3": jnp.zeros(54)}
optimizer = optax.adam(optax.cosine_decay_schedule(2e-3, asked.steps))


def loss_of(weights: Any, stones: Any, mask: Any, target: Any) -> Any:
    """Return the cross entropy of the policy and the teacher's preferences."""
    logits = jnp.where(mask, logits_of(weights, stones, jax.nn.relu), -1e9)
    return optax.softmax_cross_entropy(logits, target).mean()


def one_batch(weights: Any, memory: Any, stones: Any, mask: Any, target: Any) -> tuple[Any, Any, Any]:
    """Return the weights and the optimizer's memory after a batch, and its loss."""
    loss, gradient = jax.value_and_grad(loss_of)(weights, stones, mask, target)
    change, memory = optimizer.update(gradient, memory)
    return optax.apply_updates(weights, change), memory, loss


learn = jax.jit(one_batch)
memory, begun, losses = optimizer.init(weights), time.process_time(), []
for step in range(asked.steps):
    target = np.zeros((GAMES, len(envs.actions)), np.float32)
    chosen = np.zeros(GAMES, np.int64)
    for game, state in enumerate(envs.stepper.boards):
        moves = state.legal_moves()
        values = np.clip(teacher.values(state, moves), 0.001, 0.999)
        logits = np.log(values / (1 - values))
        places = [envs.actions.number(move) for move in moves]
        wanted = np.exp((logits - logits.max()) / TEMPER)
        target[game, places] = wanted / wanted.sum()
        chosen[game] = places[int((logits + NOISE * rng.gumbel(size=len(moves))).argmax())]
    stones, mask = stones_of(observations), info["action_mask"][:, :486]
    weights, memory, loss = learn(weights, memory, stones, mask, target[:, :486])
    losses.append(float(loss))
    if step % 200 == 199:
        said = f"{GAMES * (step + 1)} positions  loss {np.mean(losses[-100:]):.3f}"
        print(f"{said}  {time.process_time() - begun:.0f} s of the processor", flush=True)
    observations, _, _, _, info = envs.step(chosen)

arrays: dict[str, Any] = {name: np.asarray(array, np.float16) for name, array in weights.items()}
np.savez_compressed(asked.out, **arrays)
print(f"{asked.out}: {asked.out.stat().st_size} bytes")
