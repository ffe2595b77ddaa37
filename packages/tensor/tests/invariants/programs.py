"""Random short programs of views, in-place changes and ordinary operators, and two ways to run them.

A program works on a list of tensors. Each step is (name, position, other position, number). A step that is
not allowed in the current state is skipped. The rules depend on shapes only, so both ways skip the same
steps. `run` uses views and changes in place. `Functional` computes the same values without aliasing: a family
of views is one array of elements, a view is a list of positions in it, and a change makes a new array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

VIEWS = ("row", "columns", "t", "flat", "every_other", "unsqueeze", "expand")
MAKES = ("double", "add", "multiply", "tanh", "sum", "clone")
CHANGES = ("add_", "mul_", "scale_", "tanh_", "copy_", "fill_", "set_row", "set_columns")

step = st.tuples(
    st.sampled_from(VIEWS * 2 + MAKES + CHANGES * 2), st.integers(0, 11), st.integers(0, 11), st.integers(1, 3)
)
program = st.lists(step, min_size=2, max_size=12)


def allowed(name: str, shape: tuple, other: tuple, repeats: bool) -> bool:
    """Tell if a step is valid for these shapes. `repeats`: elements occur more than once, as after expand."""
    if name in ("row", "set_row"):
        return len(shape) >= 1 and shape[0] > 0 and not (repeats and name == "set_row")
    if name in ("columns", "set_columns"):
        return len(shape) == 2 and shape[1] >= 2 and not (repeats and name == "set_columns")
    if name == "t":
        return len(shape) == 2
    if name == "flat":
        return len(shape) >= 1
    if name == "every_other":
        return len(shape) >= 1 and shape[0] >= 3
    if name == "unsqueeze":
        return len(shape) <= 2
    if name == "expand":
        return len(shape) >= 1 and shape[0] == 1
    if name in ("add", "multiply", "add_", "mul_", "copy_"):
        return shape == other and not (repeats and name.endswith("_"))
    return not (repeats and name in CHANGES)


def apply(F: Any, name: str, x: Any, y: Any, number: int) -> Any:
    """Return the new tensor of a step, or None if it changed `x`. `F` is the module of functions."""
    match name:
        case "row":
            return x[number % x.shape[0]]
        case "columns":
            return x[:, 1:]
        case "t":
            return x.transpose(0, 1)
        case "flat":
            return x.reshape((-1,)) if x.is_contiguous() else x.unsqueeze(0)
        case "every_other":
            return x[::2]
        case "unsqueeze":
            return x.unsqueeze(0)
        case "expand":
            return x.expand((2, *x.shape[1:]))
        case "double":
            return x * 2.0
        case "add":
            return x + y
        case "multiply":
            return x * y
        case "tanh":
            return x.tanh()
        case "sum":
            return x.sum()
        case "clone":
            return x.clone()
        case "add_":
            x.add_(y)
        case "mul_":
            x.mul_(y.clone())
        case "scale_":
            x.mul_(0.5 * number)
        case "tanh_":
            x.tanh_()
        case "copy_":
            x.copy_(y.clone())
        case "fill_":
            x.fill_(0.25 * number)
        case "set_row":
            x[number % x.shape[0]] = 0.5 * number
        case "set_columns":
            x[:, 1:] = x[:, :-1].clone()
    return None


def run(F: Any, steps: list, starts: list, repeats: Any) -> list:
    """Run the program and return all tensors. `repeats(x)` tells if elements of x occur more than once."""
    tensors = list(starts)
    for name, i, j, number in steps:
        x, y = tensors[i % len(tensors)], tensors[j % len(tensors)]
        if allowed(name, tuple(x.shape), tuple(y.shape), repeats(x)):
            made = apply(F, name, x, y, number)
            if made is not None:
                tensors.append(made)
    return tensors


class Memory:
    """The elements of a family: a one-dimensional tensor that is replaced instead of being changed."""

    def __init__(self, elements: Any):
        self.elements = elements


class Functional:
    """A tensor represented by a Memory and the positions of its elements in it."""

    def __init__(self, F: Any, memory: Memory, positions: np.ndarray):
        self.F, self.memory, self.positions = F, memory, positions

    @classmethod
    def of(cls, F: Any, tensor: Any) -> Functional:
        """Start a new family with the elements of `tensor`."""
        shape = tuple(tensor.shape)
        return cls(F, Memory(tensor.reshape((-1,))), np.arange(int(np.prod(shape))).reshape(shape))

    @property
    def shape(self) -> tuple:
        return self.positions.shape

    def repeats(self) -> bool:
        return len(set(self.positions.ravel().tolist())) < self.positions.size

    def value(self) -> Any:
        """The gathered elements."""
        index = self.F.tensor(self.positions.ravel().tolist())
        return self.memory.elements[index].reshape(self.positions.shape)

    def is_contiguous(self) -> bool:
        flat = self.positions.ravel()
        return bool(np.array_equal(flat, np.arange(flat[0], flat[0] + flat.size)))

    def _view(self, positions: np.ndarray) -> Functional:
        return Functional(self.F, self.memory, positions)

    def __getitem__(self, index: Any) -> Functional:
        return self._view(self.positions[index])

    def transpose(self, i: int, j: int) -> Functional:
        return self._view(self.positions.swapaxes(i, j))

    def reshape(self, shape: tuple) -> Functional:
        return self._view(self.positions.reshape(shape))

    def unsqueeze(self, dim: int) -> Functional:
        return self._view(self.positions[None])

    def expand(self, shape: tuple) -> Functional:
        return self._view(np.broadcast_to(self.positions, shape))

    def _new(self, tensor: Any) -> Functional:
        return Functional.of(self.F, tensor)

    def __mul__(self, other: Any) -> Functional:
        return self._new(self.value() * (other.value() if isinstance(other, Functional) else other))

    def __add__(self, other: Any) -> Functional:
        return self._new(self.value() + other.value())

    def tanh(self) -> Functional:
        return self._new(self.value().tanh())

    def sum(self) -> Functional:
        return self._new(self.value().sum())

    def clone(self) -> Functional:
        return self._new(self.value())

    def _replace(self, value: Any) -> None:
        """Replace the elements at these positions by `value`: build a new memory with a product of 0/1 matrices."""
        n = self.memory.elements.shape[0]
        place = np.zeros((n, self.positions.size))
        place[self.positions.ravel(), np.arange(self.positions.size)] = 1
        kept = np.ones(n)
        kept[self.positions.ravel()] = 0
        F, dtype = self.F, self.memory.elements.dtype
        spread = F.tensor(place.tolist(), dtype=dtype).reshape((n, -1)) @ value.reshape((-1, 1))
        self.memory.elements = self.memory.elements * F.tensor(kept.tolist(), dtype=dtype) + spread.reshape((-1,))

    def add_(self, other: Functional) -> None:
        self._replace(self.value() + other.value())

    def mul_(self, other: Any) -> None:
        self._replace(self.value() * (other.value() if isinstance(other, Functional) else other))

    def tanh_(self) -> None:
        self._replace(self.value().tanh())

    def copy_(self, other: Functional) -> None:
        self._replace(other.value())

    def fill_(self, number: float) -> None:
        self._replace(self.value() * 0.0 + number)

    def __setitem__(self, index: Any, value: Any) -> None:
        window = self[index]
        if isinstance(value, Functional):
            window.copy_(value)
        else:
            window.fill_(value)
