"""The public functions of `ops/reduction/covariance.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import Tensor, method
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

bodies = bodies_of("ops.reduction.covariance")


@overridable
@method()
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """Return the covariance matrix of variables.

    A single variable (or a vector) returns its variance as a zero-dimensional tensor. Integers are computed in the
    default floating dtype.

    Arguments:
        input: one variable per row: (variables, observations).
        correction: subtracted from the number of observations, by which sums are divided.
        fweights: the number of repetitions of each observation, (observations,) integers, or None.
        aweights: the relative importance of each observation, (observations,) floating, or None.

    Returns:
        (variables, variables).

    >>> from facula_tensor import tensor
    >>> cov(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    try:
        input = steady_tensor("cov", input)
        if type(correction) is not int:
            correction = as_integer(correction, "cov", "correction")
        return bodies.cov(ops, input, correction=correction, fweights=fweights, aweights=aweights)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def corrcoef(input: Tensor) -> Tensor:
    """Return the correlation coefficients of variables, the rows of `input` (variables, observations).

    They are covariances divided by both standard deviations, from -1 to 1; NaN for a variable with zero variance.

    >>> from facula_tensor import tensor
    >>> corrcoef(tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("corrcoef", input)
        return bodies.corrcoef(ops, input)
    except FaculaError as error:
        trim_traceback(error)
        raise
