"""An actor and a critic: one learns to balance a pole on a cart, the other what to expect of each position.

    python examples/actor_critic.py                     with PyTorch
    python -m facula run examples/actor_critic.py       with facula

The cart and its pole are simulated below (A. Barto, R. Sutton, C. Anderson, Neuronlike adaptive elements that can
solve difficult learning control problems, 1983). A step of training is an episode, which ends when the pole falls.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

LONGEST = 200  # moves after which an episode ends, and all is well
DISCOUNT = 0.98


class Cart:
    """A cart that is pushed to the left or to the right, 50 times a second, with a pole on it."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def reset(self) -> list[float]:
        """Begin an episode near the middle: place, speed, angle, angular speed."""
        self.state = self.generator.uniform(-0.05, 0.05, 4).tolist()
        return self.state

    def push(self, right: bool) -> tuple[list[float], bool]:
        """The next state, and whether the pole has fallen or the cart has left the track."""
        place, speed, angle, turning = self.state
        sine, cosine = math.sin(angle), math.cos(angle)
        force = ((10.0 if right else -10.0) + 0.05 * turning**2 * sine) / 1.1
        bending = (9.8 * sine - cosine * force) / (0.5 * (4 / 3 - 0.1 * cosine**2 / 1.1))
        pushing = force - 0.05 * bending * cosine / 1.1
        moved = (place + 0.02 * speed, speed + 0.02 * pushing, angle + 0.02 * turning, turning + 0.02 * bending)
        self.state = list(moved)
        return self.state, abs(moved[0]) > 2.4 or abs(moved[2]) > math.radians(12)


class ActorCritic(nn.Module):
    """Scores of the two moves, and the expected return: (..., 4) to (..., 2) and (...)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, size), nn.Tanh())
        self.actor = nn.Linear(size, 2)
        self.critic = nn.Linear(size, 1)

    def forward(self, state):
        hidden = self.body(state)
        return self.actor(hidden), self.critic(hidden).squeeze(-1)


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Fill all matrices from NumPy's generator, so that a seed means the same in every library; biases are 0."""
    for parameter in model.parameters():
        drawn = generator.standard_normal(tuple(parameter.shape)) * parameter.shape[-1] ** -0.5
        parameter.data = torch.from_numpy(drawn * (parameter.ndim > 1)).to(parameter.dtype)


def play(model: ActorCritic, cart: Cart):
    """An episode: each move's logarithm of its chance, the entropy of its choice, and the value expected before it."""
    chances, entropies, values = [], [], []
    state = cart.reset()
    for _ in range(LONGEST):
        scores, value = model(torch.tensor(state))
        moves = Categorical(logits=scores)
        right = cart.generator.random() < moves.probs[1].item()  # NumPy's draw, the same for every library
        chances.append(moves.log_prob(torch.tensor(int(right))))
        entropies.append(moves.entropy())
        values.append(value)
        state, over = cart.push(right)
        if over:
            break
    return torch.stack(chances), torch.stack(entropies), torch.stack(values)


def learn(optimizer: torch.optim.Optimizer, chances, entropies, values):
    """A step of training by an episode, and its loss."""
    discounts = DISCOUNT ** torch.arange(len(values), dtype=values.dtype)
    to_come = discounts.cumsum(0).flip(0)  # what each move still won, at a reward of 1 a move
    to_come = (to_come - to_come.mean()) / (to_come.std() + 1e-6)
    advantage = to_come - values.detach()
    actor_loss = -(chances * advantage).mean()
    loss = actor_loss + F.smooth_l1_loss(values, to_come) - 0.01 * entropies.mean()

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(options: argparse.Namespace) -> list[float]:
    """Train, print as it goes, and give the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    generator = np.random.default_rng(options.seed)
    model = ActorCritic(options.size)
    draw_weights(model, generator)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    cart = Cart(generator)

    losses, lasted = [], []
    for step in range(options.steps):
        chances, entropies, values = play(model, cart)
        loss = learn(optimizer, chances, entropies, values)
        losses.append(loss.item())
        lasted.append(len(values))
        if step % 20 == 0 or step == options.steps - 1:
            print(f"step {step:4d}   loss {losses[-1]:8.4f}   {np.mean(lasted[-20:]):6.1f} moves an episode")
    return losses


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=200, help="episodes (%(default)s)")
    parser.add_argument("--size", type=int, default=64, help="hidden units (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of weights, starts and moves (%(default)s)")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = parser.parse_args()
    if min(options.steps, options.size) < 1 or options.seed < 0:
        parser.error("expected --steps and --size of at least 1, and --seed of at least 0")
    train(options)
