"""The public functions of `ops/random/sampling.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import Tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._creation.generator import Generator

bodies = bodies_of("ops.random.sampling")


@overridable
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Sample from Poisson distributions with the rates `input`, with its shape and floating dtype; NaN for NaN rates.

    The gradient of the rates is 0.

    Raises:
        ValueError: for a negative rate.

    >>> from facula_tensor import tensor
    >>> poisson(tensor([0.0, 0.0]))
    tensor([0., 0.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("poisson", input)
        return bodies.poisson(input, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Sample the number of successes in `count` trials, each with success probability `prob`; both broadcast.

    Both arguments and the result have the same floating dtype. The result is NaN where one of the arguments is. The
    gradient of both is 0.

    Arguments:
        count: the numbers of trials.
        prob: the probabilities of success.
        generator: the source of random numbers; the default generator if None.

    Raises:
        ValueError: if a count is negative or above 2^52, or a probability is not in [0, 1].

    >>> from facula_tensor import tensor
    >>> binomial(tensor([3.0, 5.0]), tensor(1.0))
    tensor([3., 5.])
    """
    try:
        if type(count) is not Tensor:
            count = as_tensor("binomial", count)
        if type(prob) is not Tensor:
            prob = as_tensor("binomial", prob)
        return bodies.binomial(count, prob, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Sample from gamma distributions with the shapes `input` and rate 1, with implicit gradients.

    Samples are positive; negative and NaN shapes result in NaN. Second derivatives are not defined.

    >>> from facula_tensor import ones
    >>> bool((standard_gamma(ones(9)) > 0).all())
    True
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("standard_gamma", input)
        return bodies.standard_gamma(ops, input, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Sample from Dirichlet distributions with concentrations along the last dimension, with implicit gradients.

    Elements are between 0 and 1, exclusive. Second derivatives are not defined.

    >>> from facula_tensor import ones
    >>> sample_dirichlet(ones(4, 3)).sum(-1).round(decimals=4)
    tensor([1., 1., 1., 1.])
    """
    try:
        if type(input) is not Tensor:
            input = as_tensor("sample_dirichlet", input)
        return bodies.sample_dirichlet(ops, input, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise
