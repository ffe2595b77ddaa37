"""Passes over graphs, and what reports show of them. For transforms, profilers and captured functions.

- `gradients_at` runs a backward pass and returns its gradients; `running_node` is the node whose rule this thread
  executes. `walk` yields the nodes of a graph.
- A package with modules calls `provide_scopes`, and `enter_scope` and `leave_scope` around their calls (Note [Scopes]).
  `want_scopes`, a mode with `scopes=True` and `Scopes` find the module of a node.
- `as_dot` and `as_svg` draw `Box`es, as pictures of graphs do.
"""

from facula_errors.extend import imported_later

from .._engine.backward import gradients_at
from .._engine.engine import running_node, walk
from .._graph.scopes import Scopes, enter_scope, leave_scope, provide_scopes, want_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._reports.drawing import Box, as_dot, as_svg

__all__ = [
    "Box",
    "Scopes",
    "as_dot",
    "as_svg",
    "enter_scope",
    "gradients_at",
    "leave_scope",
    "provide_scopes",
    "running_node",
    "walk",
    "want_scopes",
]

__getattr__ = imported_later(__name__, {".._reports.drawing": ("Box", "as_dot", "as_svg")})
