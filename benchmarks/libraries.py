"""The two libraries, with one thread each. `facula` is the facula package if it is installed, else facula_tensor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from facula_tensor import Parameter

from .measure import Loop, Row

try:
    import facula
except ModuleNotFoundError:
    import facula_tensor as facula

torch.set_num_threads(1)
facula.set_num_threads(1)


class Rows(list):
    """The rows of one module, in order."""

    def row(
        self, name: str, target: float | None = None, *, against: Callable[[], Loop] | None = None, **options: Any
    ) -> Callable:
        """Add a row whose lines run with either library: `setup(F)` makes the loop, F being the library.

        `against` makes the other loop if it is written differently. Options: those of Row.
        """

        def add(setup: Callable[[Any], Loop]) -> Callable[[Any], Loop]:
            self.append(Row(name, partial(setup, facula), against or partial(setup, torch), target, **options))
            return setup

        return add


def numbers(*shape: int) -> np.ndarray:
    """Return float32 numbers between 0 and 1, the same for the same shape."""
    return np.random.default_rng(shape).random(shape, np.float32)


def filled(F: Any, *shape: int, grad: bool = False) -> Any:
    """Return a tensor of library F with these numbers."""
    return F.from_numpy(numbers(*shape).copy()).clone().requires_grad_(grad)


def parameter(F: Any, *shape: int) -> Any:
    """Return the same as a Parameter."""
    return (F.nn.Parameter if F is torch else Parameter)(filled(F, *shape))
