"""facula.autograd.forward_ad: forward mode. The names of facula_tensor.forward_ad."""

from facula_tensor.forward_ad import (
    UnpackedDualTensor,
    dual_level,
    enter_dual_level,
    exit_dual_level,
    make_dual,
    unpack_dual,
)

from .._names import publish

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

publish(__name__)
