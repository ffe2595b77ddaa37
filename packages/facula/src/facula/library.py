"""Custom operators: the names of facula_tensor.library. PyTorch's other registrations are not supported yet."""

from facula_tensor.library import (
    CustomOpDef,
    Library,
    custom_op,
    define,
    elementwise,
    floating,
    fuse,
    impl,
    native_op,
    numpy_op,
    opcheck,
    register_autograd,
    register_fake,
    register_kernel,
    register_loop,
    register_vmap,
)

from ._lookup.names import publish
from ._lookup.refusals import Refusal, Refusals

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "elementwise", "fallthrough_kernel", "floating", "fuse", "get_ctx",
    "impl", "impl_abstract", "native_op", "numpy_op", "opcheck", "register_autocast", "register_autograd",
    "register_fake", "register_kernel", "register_loop", "register_torch_dispatch", "register_vmap", "triton_op",
    "wrap_triton",
]  # fmt: skip

_missing = Refusals("library", "use custom_op, numpy_op or native_op")
fallthrough_kernel: Refusal = _missing.function("fallthrough_kernel")
get_ctx: Refusal = _missing.function("get_ctx")
register_autocast: Refusal = _missing.function("register_autocast")
register_torch_dispatch: Refusal = _missing.function("register_torch_dispatch")
triton_op: Refusal = _missing.function("triton_op")
wrap_triton: Refusal = _missing.function("wrap_triton")
impl_abstract = register_fake  # its former name

publish(__name__)
