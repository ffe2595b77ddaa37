"""Functions of functions, and of modules: the names of facula_tensor.func, and what goes with them.

May import: siblings. Where next: `facula.autograd.functional` for derivatives at a point.
"""

from facula_tensor.func import (
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
    vmap,
)

from ._names import publish
from ._siblings import needs

with needs("facula.func"):
    from facula_nn.utils.stateless import functional_call, stack_module_state

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "stack_module_state", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

publish(__name__)
