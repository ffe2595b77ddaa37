"""facula._dynamo: controls of PyTorch's compiler, mapped to captures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from .._lookup.names import publish
from .._lookup.refusals import Refusal, Refusals
from .._lookup.siblings import needs
from ..compiler import (
    OptimizedModule,
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
    substitute_in_graph,
)
from ..compiler import compile as compile_function
from . import config

with needs("facula._dynamo"):
    from facula_jit.extend import note_break

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "explain",
    "export", "forbid_in_graph", "graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static",
    "mark_static_address", "maybe_mark_dynamic", "optimize", "register_backend", "reset", "set_stance",
    "substitute_in_graph",
]  # fmt: skip

T = TypeVar("T")

_missing = Refusals("_dynamo", "capture(function).graph() is what was captured; leave it out")
explain: Refusal = _missing.function("explain")
export: Refusal = _missing.function("export")
register_backend: Refusal = _missing.function("register_backend")


def optimize(
    backend: object = "inductor", *, nopython: bool = False, disable: bool = False, dynamic: bool | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that captures functions, like `facula.compile`.

    Arguments:
        backend, disable, dynamic: as of `compile`.
        nopython: as `fullgraph` of `compile`.
    """
    return compile_function(backend=backend, fullgraph=nopython, disable=disable, dynamic=dynamic)


def disallow_in_graph(fn: T) -> T:
    """Exclude `fn` from captures."""
    return disable(fn)  # type: ignore[call-overload,no-any-return]


def forbid_in_graph(fn: T) -> T:
    """Exclude `fn` from captures."""
    return disable(fn)  # type: ignore[call-overload,no-any-return]


def graph_break(msg: str = "") -> None:
    """Split the captured function at this point."""
    note_break("graph_break() is called" + (f" ({msg})" if msg else ""), "leave it out")


def mark_dynamic(t: object, index: object, **options: object) -> None:
    """Declare that a length varies. A no-op: every length may vary."""


def maybe_mark_dynamic(t: object, index: object) -> None:
    """Declare that a length may vary. A no-op: every length may vary."""


def mark_static(t: object, index: object = None) -> None:
    """Declare that a length is constant. A no-op: captures do not rely on it."""


def mark_static_address(t: object, guard: bool = True) -> None:
    """Declare that a tensor's address is constant. A no-op: captures do not rely on it."""


publish(__name__)
