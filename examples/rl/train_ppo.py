"""Train a policy with MaskablePPO of sb3-contrib against bots, and save what a bot needs to play it: `ppo.npz`.

    pip install 'schotten-arena[rl]'
    python examples/rl/train_ppo.py --seed 1
    arena match examples/rl/ppo.py random --games 200

The bot `ppo.py` beside it plays the policy with only numpy.
"""

import argparse
from pathlib import Path

import numpy as np
from sb3_contrib import MaskablePPO

from arena.adapters.gymnasium_env import SchottenTotten

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=250_000, help="decisions of the policy, some 22 a game")
parser.add_argument("--opponents", nargs="+", default=["random"], help="one after the other")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--out", type=Path, default=Path(__file__).with_name("ppo.npz"))
asked = parser.parse_args()

model = None
for opponent in asked.opponents:
    env = SchottenTotten(opponent, rules="base")
    if model is None:
        model = MaskablePPO(
            "MlpPolicy",
            env,
            n_steps=2048,
            batch_size=256,
            n_epochs=4,
            learning_rate=5e-4,
            gamma=1.0,
            ent_coef=0.005,
            policy_kwargs={"net_arch": [64, 64]},
            seed=asked.seed,
            device="cpu",
            verbose=1,
        )
    model.set_env(env)
    model.learn(asked.steps // len(asked.opponents), reset_num_timesteps=False)

assert model is not None
layers = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
weights = {}
for number, layer in enumerate(one for one in layers if hasattr(one, "weight")):
    weights[f"w{number}"] = layer.weight.detach().numpy().T.astype(np.float16)
    weights[f"b{number}"] = layer.bias.detach().numpy().astype(np.float16)
np.savez_compressed(asked.out, **weights)
print(f"{asked.out}: {asked.out.stat().st_size} bytes")
