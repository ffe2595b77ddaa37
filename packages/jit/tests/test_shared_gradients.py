"""Captured functions that share leaves: each creates, adds to, changes, reads or clears gradients of the others."""

import numpy as np
import pytest
from jit_toys import same

from facula_jit import capture
from facula_tensor import manual_seed, no_grad, randn


class Program:
    """Functions of one argument over two leaves; each is captured with these options, or called as it is with None."""

    def __init__(self, options):
        manual_seed(0)
        self.leaves = w, b = randn(3).requires_grad_(), randn(3).requires_grad_()
        self.kept = []  # gradients that the program keeps

        def trains(x):
            w.grad = b.grad = None
            loss = ((x * w + b) ** 2).mean()
            loss.backward()
            with no_grad():
                w.sub_(w.grad * 0.1)
            return loss.detach()

        def adds(x):
            (x * w).tanh().sum().backward()
            return x * 2

        def needs_one(x):
            w.grad = b.grad = None
            (x * b).tanh().sum().backward()
            return b.grad + x

        def clears(x):
            w.grad = b.grad = None
            return x + 1

        def scales(x):
            for leaf in (w, b):
                if leaf.grad is not None:
                    leaf.grad.mul_(0.5)
            return x + 2

        def applies(x):
            with no_grad():
                for leaf in (w, b):
                    if leaf.grad is not None:
                        leaf.sub_(leaf.grad * 0.1)
                        leaf.grad = None
            return x + 3

        functions = (trains, adds, needs_one, clears, scales, applies)
        self.functions = [function if options is None else capture(function, **options) for function in functions]

    def act(self, name):
        """Do what a program does to gradients between calls."""
        for leaf in self.leaves:
            if name == "clear":
                leaf.grad = None
            elif name == "keep":
                self.kept.append(leaf.grad)
            elif leaf.grad is not None and name == "replace":
                leaf.grad = leaf.grad.clone()
            elif leaf.grad is not None and name == "change":
                leaf.grad.add_(0.25)

    def state(self):
        """Return the leaves and their gradients, with 0 where there is none."""
        return *self.leaves, *[0 if leaf.grad is None else leaf.grad for leaf in self.leaves]


@pytest.mark.filterwarnings("ignore:capture:UserWarning")
@pytest.mark.parametrize("interval", [1, 2, 3, None])
def test_random_orders_of_calls_equal_eager_ones(interval):
    rng, replayed, checked = np.random.default_rng(0), 0, 0
    for _ in range(25):
        order = [*rng.integers(0, 6, rng.integers(1, 5))] * 8
        found, wanted = Program({"check": interval}), Program(None)
        for number, place in enumerate(order):
            x = randn(3)
            assert same(found.functions[place](x), wanted.functions[place](x)), (order, number)
            assert same(found.state(), wanted.state()), (order, number)
            if rng.integers(4) == 0:
                action = rng.choice(["clear", "keep", "replace", "change"])
                found.act(action), wanted.act(action)
        replays = [replay for captured in found.functions for replay in captured._replays()]
        replayed += sum([replay.count for replay in replays])
        checked += sum([replay.checks_made for replay in replays])
    assert checked > 20 and (replayed > 20 or interval == 1)
