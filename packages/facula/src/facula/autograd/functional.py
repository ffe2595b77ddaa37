"""facula.autograd.functional: derivatives of functions. The names of facula_tensor.derivatives."""

from facula_tensor.derivatives import hessian, hvp, jacobian, jvp, vhp, vjp

from .._names import publish

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

publish(__name__)
