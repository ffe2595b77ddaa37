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
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("poisson", input)
        return bodies.poisson(input, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """generator: the source of random numbers; the default generator if None."""
    try:
        if not isinstance(count, Tensor):
            count = as_tensor("binomial", count)
        if not isinstance(prob, Tensor):
            prob = as_tensor("binomial", prob)
        return bodies.binomial(count, prob, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("standard_gamma", input)
        return bodies.standard_gamma(ops, input, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    try:
        if not isinstance(input, Tensor):
            input = as_tensor("sample_dirichlet", input)
        return bodies.sample_dirichlet(ops, input, generator)
    except FaculaError as error:
        trim_traceback(error)
        raise
