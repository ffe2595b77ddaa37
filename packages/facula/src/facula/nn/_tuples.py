"""Repetition of a number for all dimensions, and prefixes in state dicts: rows of `torch.nn.modules.utils`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from facula_errors.extend import boundary

from .._types import AnyValue

T = TypeVar("T")


@boundary
def consume_prefix_in_state_dict_if_present(state_dict: dict[str, T], prefix: str) -> None:
    """Remove `prefix` from the names that begin with it, in place: such as "module." of data parallel wrappers.

    >>> state = {"module.weight": 1, "bias": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'weight': 1, 'bias': 2}
    """
    renamed = {name.removeprefix(prefix): value for name, value in state_dict.items()}
    state_dict.clear()
    state_dict.update(renamed)


def _ntuple(n: int, name: str = "parse") -> Callable[[object], tuple[AnyValue, ...]]:
    """Return a function that repeats a number `n` times, and converts an iterable to a tuple."""

    def parse(x: object) -> tuple[object, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: Iterable[T], n: int) -> tuple[T, ...]:
    """Return each element `n` times, from the last to the first."""
    return tuple([extent for extent in reversed(tuple(t)) for _ in range(n)])
