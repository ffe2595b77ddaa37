"""Operators that programs register: not there yet."""

from ._names import publish
from ._refusals import Kind, Refusal, Refusals

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx", "impl", "impl_abstract",
    "opcheck", "register_autocast", "register_autograd", "register_fake", "register_kernel",
    "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip

_missing = Refusals("library", "write a Function of autograd, or a function of operators")
CustomOpDef: Kind = _missing.kind("CustomOpDef")
Library: Kind = _missing.kind("Library")
custom_op: Refusal = _missing.function("custom_op")
define: Refusal = _missing.function("define")
fallthrough_kernel: Refusal = _missing.function("fallthrough_kernel")
get_ctx: Refusal = _missing.function("get_ctx")
impl: Refusal = _missing.function("impl")
impl_abstract: Refusal = _missing.function("impl_abstract")
opcheck: Refusal = _missing.function("opcheck")
register_autocast: Refusal = _missing.function("register_autocast")
register_autograd: Refusal = _missing.function("register_autograd")
register_fake: Refusal = _missing.function("register_fake")
register_kernel: Refusal = _missing.function("register_kernel")
register_torch_dispatch: Refusal = _missing.function("register_torch_dispatch")
register_vmap: Refusal = _missing.function("register_vmap")
triton_op: Refusal = _missing.function("triton_op")
wrap_triton: Refusal = _missing.function("wrap_triton")

publish(__name__)
