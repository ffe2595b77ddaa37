"""The public functions of `_creation/random.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.allocation import fresh, layout_for
from ..._core.tensor import method
from ..._creation.batches import open_batches
from ..._creation.filled import finish, layout_like, with_memory_format, with_options
from ..._creation.random import NORMAL, UNIFORM, drawn_batched, fill_with_draws
from ..._dispatch.overrides import overridable
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import DeviceLike, DTypeLike, Lengths, MemoryFormat
    from ..._creation.generator import Generator

bodies = bodies_of("_creation.random")


def rand(
    *lengths: Lengths,
    size: Lengths | None = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    generator: the source of random numbers; the default generator if None.
    dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(rand, locals())
        made = layout_for("rand", lengths, size, dtype, device)
        result = drawn_batched(made, UNIFORM, generator, 0.0, 1.0) if open_batches else fresh(made, "rand")
        if not open_batches:
            fill_with_draws(made, result._storage, 0, UNIFORM, generator, 0.0, 1.0)
        result = result
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    generator: the source of random numbers; the default generator if None.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(rand_like, locals())
        made = layout_like("rand_like", input, dtype, device)
        result = drawn_batched(made, UNIFORM, generator, 0.0, 1.0) if open_batches else fresh(made, "rand_like")
        if not open_batches:
            fill_with_draws(made, result._storage, 0, UNIFORM, generator, 0.0, 1.0)
        result = result
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


def randn(
    *lengths: Lengths,
    size: Lengths | None = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    generator: the source of random numbers; the default generator if None.
    dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(randn, locals())
        made = layout_for("randn", lengths, size, dtype, device)
        result = drawn_batched(made, NORMAL, generator, 0.0, 1.0) if open_batches else fresh(made, "randn")
        if not open_batches:
            fill_with_draws(made, result._storage, 0, NORMAL, generator, 0.0, 1.0)
        result = result
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    generator: the source of random numbers; the default generator if None.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(randn_like, locals())
        made = layout_like("randn_like", input, dtype, device)
        result = drawn_batched(made, NORMAL, generator, 0.0, 1.0) if open_batches else fresh(made, "randn_like")
        if not open_batches:
            fill_with_draws(made, result._storage, 0, NORMAL, generator, 0.0, 1.0)
        result = result
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


def randint(
    low: int = 0,
    high: Lengths | None = None,
    size: Lengths | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """generator: the source of random numbers; the default generator if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(randint, locals())
        result = bodies.randint(low, high, size, generator=generator, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    generator: the source of random numbers; the default generator if None.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(randint_like, locals())
        made = layout_like("randint_like", input, dtype, device)
        ends = (low, high) if high is not None else (0, low)
        result = randint(*ends, made.shape, generator=generator, dtype=made.dtype, device=made.device)
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """generator: the source of random numbers; the default generator if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(randperm, locals())
        result = bodies.randperm(n, generator=generator, dtype=dtype, device=device, requires_grad=requires_grad)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """generator: the source of random numbers; the default generator if None."""
    try:
        return bodies.bernoulli(input, p, generator=generator, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
