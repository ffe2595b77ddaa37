"""Tables of hooks on nodes, values and modules, memory for gradients, and the end of backward passes.

- An in-place operator that gave its operand a new node calls `move_hooks(operand, former_node)`.
- `set_gradient_home` chooses the memory of a leaf's gradient; `after_backward` calls a function when the pass ends.
- If its adapter's `context()` is not None, the operator ends with `set_context(node, context)`.
"""

from .._engine.endings import after_backward
from .._graph.handles import Handle, Hooks
from .._graph.hooks import WrappedRule, move_hooks, set_context, set_gradient_home

__all__ = [
    "Handle",
    "Hooks",
    "WrappedRule",
    "after_backward",
    "move_hooks",
    "set_context",
    "set_gradient_home",
]
