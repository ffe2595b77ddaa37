"""Declarations of operators, and the namespaces that call them. For packages that add operators or run them.

- `elementwise`, `operator` and `view` turn a declaration into functions; `composite` adds a function of operators.
- `no_record_ops` and `recorded_ops` are the two namespaces that vjp rules use; `operators` contains all by name,
  `operators_by_name` those of `facula_tensor.library` by their qualified names. `program_of` returns the program of
  the expression that defines an operator.
- `SavedTensors` contains the saved values of a node with many operands.
"""

from facula_errors.extend import imported_later

from .._dispatch.declaration import elementwise, operator, view
from .._dispatch.expressions.gradients import program_of
from .._dispatch.namespaces import composite, identity_grad, may_alias_grad, no_record_ops, operators, recorded_ops
from .._dispatch.operator import Operator
from .._dispatch.rules.saved import SavedTensors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..library._definition import operators_by_name

__all__ = [
    "Operator",
    "SavedTensors",
    "composite",
    "elementwise",
    "identity_grad",
    "may_alias_grad",
    "no_record_ops",
    "operator",
    "operators",
    "operators_by_name",
    "program_of",
    "recorded_ops",
    "view",
]

__getattr__ = imported_later(__name__, {"..library._definition": ("operators_by_name",)})
