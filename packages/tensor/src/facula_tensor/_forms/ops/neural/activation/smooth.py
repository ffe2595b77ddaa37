"""The public functions of `ops/neural/activation/smooth.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ....._core.promotion import as_real
from ....._dispatch.arguments import floats, refuse_choice
from ....._dispatch.namespaces import recorded_ops as ops
from .....ops.memory.assignment import changed

if TYPE_CHECKING:
    from ....._core.tensor import Tensor


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """input: a tensor of real numbers."""
    try:
        if type(beta) is not float and type(beta) is not int:
            beta = as_real(beta, "softplus", "beta")
        if type(threshold) is not float and type(threshold) is not int:
            threshold = as_real(threshold, "softplus", "threshold")
        if beta == 0:
            raise ArgumentError("softplus: expected a beta other than 0, since it divides by it; got 0")
        return ops.softplus(input, beta, threshold)
    except FaculaError as error:
        trim_traceback(error)
        raise


def logsigmoid(input: Tensor) -> Tensor:
    try:
        return ops.log_sigmoid(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        if inplace:
            return changed("silu", input, ops.silu)
        return ops.silu(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def softsign(input: Tensor) -> Tensor:
    try:
        return ops.softsign(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def tanhshrink(input: Tensor) -> Tensor:
    try:
        return ops.tanhshrink(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    try:
        input = floats("mish", input)
        if inplace:
            return changed("mish", input, ops.mish)
        return ops.mish(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """input: a tensor of real numbers."""
    try:
        if approximate not in ("none", "tanh"):
            approximate = refuse_choice("gelu", "approximate", approximate, "'none' or 'tanh'")
        return ops.gelu(input) if approximate == "none" else ops.gelu_tanh(input)
    except FaculaError as error:
        trim_traceback(error)
        raise
