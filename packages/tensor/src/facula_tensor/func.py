"""Function transforms, such as derivatives, which nest in any order. The names are those of `torch.func`.

Arguments and results may be tuples, lists and dicts of tensors, in any nesting. Each transform wraps the
arguments of its function at a new level (see `_core/wrapped.py`), so nested derivatives do not mix, and an
enclosing transform or a plain `backward()` differentiates through it.

>>> from facula_tensor import tensor
>>> grad(lambda x: x * grad(lambda y: x + y)(tensor(1.0)))(tensor(2.0))
tensor(1.)
"""

from __future__ import annotations

from facula_errors.extend import published

from .transforms.functions import grad, grad_and_value, jvp, linearize, value_and_grad, vjp
from .transforms.jacobians import hessian, jacfwd, jacrev
from .transforms.mapping import vmap
from .transforms.unwrapping import debug_unwrap, functionalize

__all__ = [
    "debug_unwrap", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "value_and_grad", "vjp", "vmap",
]  # fmt: skip

__dir__ = published(__name__)
