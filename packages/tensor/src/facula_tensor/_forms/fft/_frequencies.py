"""The public functions of `fft/_frequencies.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.promotion import as_integer, as_real
from ..._dispatch.arguments import steady_tensor
from ..._dispatch.namespaces import recorded_ops as ops
from ..._dispatch.overrides import overridable
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import DeviceLike, Dims, DTypeLike

bodies = bodies_of("fft._frequencies")


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """layout: `strided`, the only supported layout, or None.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if type(n) is not int:
            n = as_integer(n, "fft.fftfreq", "n")
        if type(d) is not float and type(d) is not int:
            d = as_real(d, "fft.fftfreq", "d")
        return bodies.fftfreq(n, d, out=out, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """layout: `strided`, the only supported layout, or None.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if type(n) is not int:
            n = as_integer(n, "fft.rfftfreq", "n")
        if type(d) is not float and type(d) is not int:
            d = as_real(d, "fft.rfftfreq", "d")
        return bodies.rfftfreq(n, d, out=out, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def fftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    try:
        input = steady_tensor("fft.fftshift", input)
        return bodies.fftshift(ops, input, dim)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def ifftshift(input: Tensor, dim: Dims | None = None) -> Tensor:
    try:
        input = steady_tensor("fft.ifftshift", input)
        return bodies.ifftshift(ops, input, dim)
    except FaculaError as error:
        trim_traceback(error)
        raise
