"""facula._dynamo: what programs say to PyTorch's compiler; there is none, and functions stay what they are."""

from __future__ import annotations

from typing import Any

from .._names import publish
from .._refusals import Refusals
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

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "explain",
    "export", "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static",
    "mark_static_address", "maybe_mark_dynamic", "optimize", "register_backend", "reset", "set_stance",
    "substitute_in_graph",
]  # fmt: skip

_missing = Refusals("_dynamo", "nothing is compiled, and there are no graphs to look at; leave it out")
OptimizedModule = _missing.kind("OptimizedModule")
explain = _missing.function("explain")
export = _missing.function("export")
register_backend = _missing.function("register_backend")


def optimize(*arguments: Any, **options: Any) -> Any:
    """A decorator that gives functions and modules back as they are."""
    return lambda function: function


def disallow_in_graph(fn: Any) -> Any:
    """`fn` itself: it is not compiled."""
    return fn


def forbid_in_graph(fn: Any) -> Any:
    """`fn` itself: it is not compiled."""
    return fn


def graph_break(*arguments: Any, **options: Any) -> None:
    """End a graph: there is none."""


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Say that a length changes: every length may."""


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """Say that a length may change: every length may."""


def mark_static(t: Any, index: Any = None) -> None:
    """Say that a length does not change: nothing depends on it."""


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Say that a tensor stays where it is: nothing depends on it."""


publish(__name__)
