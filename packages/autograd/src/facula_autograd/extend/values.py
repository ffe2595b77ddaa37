"""Differentiable values and their adapters, for packages that define a class of them.

Subclass `Value`; every constructor sets `node`. `register_adapter` an `Adapter` for the class.
"""

from .._adapters import Adapter, adapter_of, reduces_to, register_adapter
from .._value import Value

__all__ = [
    "Adapter",
    "Value",
    "adapter_of",
    "reduces_to",
    "register_adapter",
]

# Private attributes that packages with values of their own may use.
SIBLING_ATTRIBUTES = {
    "_grad": "a leaf's gradient, which `grad` returns: a subclass of `Value` copies it, captures exchange it",
    # Programs may set any attribute on a FunctionContext, so that its own have an underscore. Function transforms and
    # declared operators fill contexts and read them:
    "_to_save": "the arguments of `save_for_backward`, until `_keep`",
    "_keep": "converts the saved values to the form that a node may keep",
    "_dirty": "the arguments of `mark_dirty`; read only",
    "_non_differentiable": "the arguments of `mark_non_differentiable`; read only",
    "_materialize": "the argument of `set_materialize_grads`; read only",
    "_in_forward_mode": "True while `jvp` runs, so that `saved_tensors` returns the values of `save_for_forward`",
}
