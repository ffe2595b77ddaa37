"""Passes over graphs, and what reports show of them. For transforms, profilers and captured functions.

- `gradients_at` runs a backward pass and returns its gradients; `running_node` is the node whose rule this thread
  executes. `walk` yields the nodes of a graph. `observe_backward` lets an observer run all passes and rules.
- A package with modules calls `provide_scopes`, and `enter_scope` and `leave_scope` around their calls (Note [Scopes]).
  `want_scopes`, a mode with `scopes=True` and `Scopes` find the module of a node. `observe_scopes` notifies an observer
  of module calls.
- `as_dot` and `as_svg` draw `Box`es, as pictures of graphs do.
"""

from facula_errors.extend import imported_later

from .._engine.backward import gradients_at
from .._engine.engine import running_node, walk
from .._engine.observer import observe_backward
from .._graph.scopes import Scopes, enter_scope, leave_scope, observe_scopes, provide_scopes, want_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._engine.observer import BackwardObserver as BackwardObserver
    from .._graph.scopes import ScopeObserver as ScopeObserver
    from .._reports.drawing import Box, as_dot, as_svg

__all__ = [
    "Box",
    "Scopes",
    "as_dot",
    "as_svg",
    "enter_scope",
    "gradients_at",
    "leave_scope",
    "observe_backward",
    "observe_scopes",
    "provide_scopes",
    "running_node",
    "walk",
    "want_scopes",
]

__getattr__ = imported_later(__name__, {".._reports.drawing": ("Box", "as_dot", "as_svg")})
