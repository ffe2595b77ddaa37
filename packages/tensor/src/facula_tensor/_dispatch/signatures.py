"""Signatures of generated functions, for `inspect.signature`, `help` and editors.

The fast path's functions have internal arguments (`fast/unary.py`). `shown_as` gives such a function the public
signature of one of the forms below, and the class that declares the operator as its source, so that
`inspect.getsource` shows the declaration.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

VARARGS = 4  # inspect.CO_VARARGS

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import Function, Operand, Scalar
    from .operator import Operator


def _one(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    raise NotImplementedError  # a form, like all below; never called


def _two(input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor:
    raise NotImplementedError


def _scaled(input: Operand, other: Operand, *, alpha: Scalar = 1, out: Tensor | None = None) -> Tensor:
    raise NotImplementedError


def _python_one(self: Tensor) -> Tensor:
    raise NotImplementedError


def _python_two(self: Tensor, other: Operand) -> Tensor:
    raise NotImplementedError


def _python_scaled(self: Tensor, other: Operand, *, alpha: Scalar = 1) -> Tensor:
    raise NotImplementedError


def _view(input: Tensor) -> Tensor:
    raise NotImplementedError


def _shape(input: Tensor, *shape: Any) -> Tensor:
    raise NotImplementedError


def _named(input: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
    raise NotImplementedError


FORMS: dict[str, tuple[Function, ...]] = {
    "function": (_one, _two, _scaled),
    "operator": (_python_one, _python_two, _python_two),
    "in place": (_python_one, _python_two, _python_scaled),
}


def set_signature(kind: str, function: Function, op: Operator) -> None:
    """Give a function of `op` its public signature, and its declaration as source.

    `kind` is a key of FORMS.
    """
    form = op.forms.get(kind)
    if form is None:
        if op.window is not None:
            shaped = _named if op.named else _shape
            plain: Function = shaped if op.window.__code__.co_flags & VARARGS else _view
        elif 1 <= op.arity <= 2:
            plain = FORMS[kind][2 if op.scaled else op.arity - 1]
        else:
            return
        filename, line = op.declared_at
        code = plain.__code__.replace(co_filename=filename, co_firstlineno=line)
        form = op.forms[kind] = FunctionType(code, plain.__globals__, op.name, plain.__defaults__)
        form.__kwdefaults__, form.__annotations__ = plain.__kwdefaults__, plain.__annotations__
    function.__wrapped__ = form  # type: ignore[attr-defined]
