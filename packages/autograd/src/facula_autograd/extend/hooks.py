"""Tables of hooks on nodes, values and modules.

- An in-place operator that gave its operand a new node calls `move_hooks(operand, former_node)`.
- If its adapter's `context()` is not None, the operator ends with `set_context(node, context)`.
"""

from .._graph.handles import Handle, Hooks
from .._graph.hooks import WrappedRule, move_hooks, set_context

__all__ = [
    "Handle",
    "Hooks",
    "WrappedRule",
    "move_hooks",
    "set_context",
]
