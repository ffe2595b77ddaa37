"""facula._dynamo: what programs say to PyTorch's compiler; there is none, and functions stay what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from .._names import publish
from .._refusals import Kind, Refusal, Refusals
from ..compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
    substitute_in_graph,
)
from . import config

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "explain",
    "export", "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static",
    "mark_static_address", "maybe_mark_dynamic", "optimize", "register_backend", "reset", "set_stance",
    "substitute_in_graph",
]  # fmt: skip

T = TypeVar("T")

_missing = Refusals("_dynamo", "nothing is compiled, and there are no graphs to look at; leave it out")
OptimizedModule: Kind = _missing.kind("OptimizedModule")
explain: Refusal = _missing.function("explain")
export: Refusal = _missing.function("export")
register_backend: Refusal = _missing.function("register_backend")


def optimize(*arguments: object, **options: object) -> Callable[[T], T]:
    """A decorator that gives functions and modules back as they are."""
    return lambda function: function


def disallow_in_graph(fn: T) -> T:
    """`fn` itself: it is not compiled."""
    return fn


def forbid_in_graph(fn: T) -> T:
    """`fn` itself: it is not compiled."""
    return fn


def graph_break(*arguments: object, **options: object) -> None:
    """End a graph: there is none."""


def mark_dynamic(t: object, index: object, **options: object) -> None:
    """Say that a length changes: every length may."""


def maybe_mark_dynamic(t: object, index: object) -> None:
    """Say that a length may change: every length may."""


def mark_static(t: object, index: object = None) -> None:
    """Say that a length does not change: nothing depends on it."""


def mark_static_address(t: object, guard: bool = True) -> None:
    """Say that a tensor stays where it is: nothing depends on it."""


publish(__name__)
