"""facula.autograd.function: custom operators. The names of facula_autograd."""

from typing import TYPE_CHECKING

from facula_autograd import Function, once_differentiable
from facula_autograd.extend.functions import FunctionContext

if TYPE_CHECKING:
    from facula_tensor import Tensor

    class FunctionCtx(FunctionContext):
        @property
        def saved_tensors(self) -> tuple[Tensor, ...]:
            """The tensors given to `save_for_backward`; raises if one was changed in place since."""

else:
    FunctionCtx = FunctionContext

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
