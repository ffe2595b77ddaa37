"""facula.autograd.function: custom operators. The names of facula_autograd."""

from facula_autograd import Function, once_differentiable
from facula_autograd.extend import FunctionContext as FunctionCtx

__all__ = ["Function", "FunctionCtx", "once_differentiable"]
