"""Functions of functions, and of modules: the names of facula_tensor.func, and what goes with them.

May import: siblings. Where next: `facula.autograd.functional` for derivatives at a point.
"""

from facula_tensor.func import (
    debug_unwrap,
    functionalize,
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
    from facula_nn.extend import replace_all_batch_norm_modules_
    from facula_nn.utils.stateless import functional_call, stack_module_state

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "linearize", "replace_all_batch_norm_modules_", "stack_module_state", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

publish(__name__)
