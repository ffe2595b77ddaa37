"""The public functions of `ops/random/feature_dropout.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_real
from ...._core.tensor import Tensor
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

bodies = bodies_of("ops.random.feature_dropout")


@overridable
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """inplace: whether to write the result into `input`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("dropout1d", input)
        if type(p) is not float:
            p = float(as_real(p, "dropout1d", "p"))
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout1d: expected a probability p from 0 to 1; got {p}")
        return bodies.dropout1d(input, p, training, inplace)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """inplace: whether to write the result into `input`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("dropout2d", input)
        if type(p) is not float:
            p = float(as_real(p, "dropout2d", "p"))
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout2d: expected a probability p from 0 to 1; got {p}")
        return bodies.dropout2d(input, p, training, inplace)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """inplace: whether to write the result into `input`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("dropout3d", input)
        if type(p) is not float:
            p = float(as_real(p, "dropout3d", "p"))
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout3d: expected a probability p from 0 to 1; got {p}")
        return bodies.dropout3d(input, p, training, inplace)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """inplace: whether to write the result into `input`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("alpha_dropout", input)
        if type(p) is not float:
            p = float(as_real(p, "alpha_dropout", "p"))
        if not 0 <= p <= 1:
            raise ArgumentError(f"alpha_dropout: expected a probability p from 0 to 1; got {p}")
        return bodies.alpha_dropout(input, p, training, inplace)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """inplace: whether to write the result into `input`."""
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("feature_alpha_dropout", input)
        if type(p) is not float:
            p = float(as_real(p, "feature_alpha_dropout", "p"))
        if not 0 <= p <= 1:
            raise ArgumentError(f"feature_alpha_dropout: expected a probability p from 0 to 1; got {p}")
        return bodies.feature_alpha_dropout(input, p, training, inplace)
    except FaculaError as error:
        trim_traceback(error)
        raise
