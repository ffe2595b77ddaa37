"""Nodes and rules, for packages that record operators.

- Write one `Rule` for each operator. An operator records when an input has a `node`, and `active_modes` is empty or
  `current_mode().grad` is true. It creates the output's node with `record` (or the same lines inline), stores edges
  (`edge_to`) in `e0` and `e1`, and saved values in `s0` and `s1` with their versions in `v0` and `v1`. Additional edges
  may be stored anywhere, with `Rule.edges` to find them.
- For several differentiable outputs: `record_many`, or `output_node` for each. If only one output is differentiable,
  call `record` on that one.

`Variable`, in this package, is an example.
"""

from .._function.outputs import OUTPUT, Gradients, output_node, record_many
from .._graph.node import (
    LEAF,
    Node,
    Rule,
    copy_node,
    describe_call_site,
    edge_to,
    edges_of,
    error_node,
    next_seq,
    record,
)

__all__ = [
    "LEAF",
    "OUTPUT",
    "Gradients",
    "Node",
    "Rule",
    "copy_node",
    "describe_call_site",
    "edge_to",
    "edges_of",
    "error_node",
    "next_seq",
    "output_node",
    "record",
    "record_many",
]
