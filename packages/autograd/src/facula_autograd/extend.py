"""What packages beside this one may use beyond its public names: to define differentiable values.

The shape of it: subclass `Value`; register an `Adapter` for it; write a `Rule` for each operator;
in the operator, when `special` is empty or `current_mode().grad` says so, and an input has a
`node`, make the output's with `record` (or the same lines written out) and store the edges
(`edge_to`) and saved values in it. `Variable`, in this package, is an example.
"""

from __future__ import annotations

from ._adapters import Adapter, adapter_of, register_adapter
from ._calls import run_backward
from ._graph import LEAF, Node, Rule, edge_to, edges_of, next_seq, record, where
from ._handles import Handle, Hooks
from ._hooks import move_hooks, pack_saved, set_context
from ._modes import DEFAULT, Mode, current_mode, replace_mode, special
from ._outputs import Gradients, record_many
from ._saved import check_saved, mutated
from ._values import Value

__all__ = [
    "DEFAULT",
    "LEAF",
    "Adapter",
    "Gradients",
    "Handle",
    "Hooks",
    "Mode",
    "Node",
    "Rule",
    "Value",
    "adapter_of",
    "check_saved",
    "current_mode",
    "edge_to",
    "edges_of",
    "move_hooks",
    "mutated",
    "next_seq",
    "pack_saved",
    "record",
    "record_many",
    "register_adapter",
    "replace_mode",
    "run_backward",
    "set_context",
    "special",
    "where",
]
