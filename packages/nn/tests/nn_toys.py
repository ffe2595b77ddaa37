"""Small modules shared by several tests."""

import facula_nn as nn
import facula_tensor as ft


class Scale(nn.Module):
    """A module with a parameter, two buffers, and an absent parameter."""

    def __init__(self, width=2):
        super().__init__()
        self.weight = nn.Parameter(ft.ones(width))
        self.register_parameter("bias", None)
        self.register_buffer("count", ft.zeros(1, dtype=ft.int64))
        self.register_buffer("cache", ft.zeros(width), persistent=False)

    def forward(self, input):
        return input * self.weight


class Net(nn.Module):
    """A module with a chain and a scale."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
        self.scale = Scale()

    def forward(self, input):
        return self.scale(self.body(input))


def refuse_reads(monkeypatch):
    """Make every later read of a tensor's elements fail."""

    def refuse(*args, **kwargs):
        raise AssertionError("a value was read")

    for name in "item tolist numpy __array__ __bool__ __float__ __int__ __index__ __buffer__ __dlpack__".split():
        monkeypatch.setattr(ft.Tensor, name, refuse)


def same(a, b):
    """Return whether two tensors have equal elements."""
    return a.shape == b.shape and bool((a == b).all())
