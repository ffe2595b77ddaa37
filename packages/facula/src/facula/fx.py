"""facula.fx: programs as graphs of operators: not there yet."""

from __future__ import annotations

from typing import Any

from ._names import publish
from ._refusals import Refusals

__all__ = [
    "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer", "has_side_effect", "map_arg",
    "replace_pattern", "symbolic_trace", "wrap",
]  # fmt: skip

_missing = Refusals("fx", "there are no graphs to look at: change the module itself, or use forward hooks")
Graph = _missing.kind("Graph")
GraphModule = _missing.kind("GraphModule")
Interpreter = _missing.kind("Interpreter")
Node = _missing.kind("Node")
Proxy = _missing.kind("Proxy")
Tracer = _missing.kind("Tracer")
Transformer = _missing.kind("Transformer")
map_arg = _missing.function("map_arg")
replace_pattern = _missing.function("replace_pattern")
symbolic_trace = _missing.function("symbolic_trace")


def wrap(fn_or_name: Any) -> Any:
    """Mark a function that traces do not look into: it stays what it is.

    >>> wrap("len")
    'len'
    """
    return fn_or_name


def has_side_effect(fn: Any) -> Any:
    """Mark a function that graphs keep: it stays what it is."""
    return fn


publish(__name__)
