"""FLOP counts equal PyTorch's, for products and for convolutions without groups."""

import importlib

import pytest

torch = pytest.importorskip("torch")


def counts(name):
    """Return counts of each module of a small network, and of products, forward and backward."""
    library = importlib.import_module(name)
    nn, F = library.nn, library.nn.functional
    mode = importlib.import_module(f"{name}.utils.flop_counter").FlopCounterMode

    def p(*shape):
        return library.ones(*shape).requires_grad_()

    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Sequential(nn.Flatten(), nn.Linear(8 * 36, 10)))
    calls = {
        "net": lambda: net(library.ones(2, 3, 8, 8)),
        "linear": lambda: F.linear(p(2, 5, 4), p(3, 4), p(3)),
        "bmm": lambda: library.bmm(p(2, 5, 4), p(2, 4, 3)),
        "addmm": lambda: library.addmm(p(3), p(5, 4), p(4, 3)),
        "einsum": lambda: library.einsum("bij,bjk->bik", p(2, 5, 4), p(2, 4, 3)),
        "conv1d": lambda: F.conv1d(p(2, 3, 9), p(4, 3, 3), p(4), stride=2),
        "conv3d": lambda: F.conv3d(p(2, 3, 5, 5, 5), p(4, 3, 3, 3, 3)),
        "conv_transpose2d": lambda: F.conv_transpose2d(p(2, 3, 5, 5), p(3, 4, 3, 3)),
    }
    found = {}
    for title, call in calls.items():
        with mode(display=False, depth=3) as counter:
            call().sum().backward()
        found[title] = {path: sum(one.values()) for path, one in counter.get_flop_counts().items()}
    return found


def test_counts_are_pytorchs():
    assert counts("facula") == counts("torch")
