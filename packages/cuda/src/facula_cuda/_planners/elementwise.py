"""Elementwise operators and programs, copies and fills: kernels that `_generate` writes."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_storage import Layout, Plan, bind, contiguous
from facula_storage.extend.plans import rebind

from .._compile.modules import functions
from .._driver import ffi, lib
from .._elements import headers
from .._generate import Kernels, folded_blocks, generate
from .._port.driver import on_close
from .dimensions import merged, packed, room_for
from .launches import NEVER, THREADS, Kernel, address_of, kernel_plan
from .reports import record_of, reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage.extend.plans import Program

    from .launches import Constant

    Launch = Callable[..., None]


MAX_BLOCKS = 4096  # some for each multiprocessor of a large device: threads loop


class Form(NamedTuple):
    """The parts of a plan that do not depend on lengths and strides."""

    launch: Launch  # for contiguous operands of one shape
    for_layouts: Callable[..., Launch | None]  # (output, *inputs) -> their launch
    reports: bool  # whether elements may be refused


@lru_cache(maxsize=4096)
def form_of(
    device_index: int, operator: str | Program, kinds: tuple[int | type, ...], outputs: tuple[int, ...]
) -> Form | None:
    """Return the form of an operator for inputs (dtype codes, or types of scalars) and dtype codes of outputs.

    None: there is no kernel.
    """
    made = generate(operator, kinds, outputs)
    if made is None or len(made.itemsizes) > lib.MAX_ARRAYS or made.words > lib.MAX_WORDS:
        return None
    plan = _plan_of(made, device_index)
    plan.dense, plan.nested = functions(made.source, (made.dense, made.nested), device_index, headers())
    at, doubles = int(ffi.cast("intptr_t", plan)), _doubles(made)
    dense, nested = (
        bind(address_of(name), at, NEVER, doubles, plan, made.words)
        for name in ("facula_cuda_dense", "facula_cuda_nested")
    )
    return Form(dense, partial(rebind, nested, address_of("facula_cuda_shape")), bool(made.requires))


@on_close
def _forget(alive: bool) -> None:
    del alive
    form_of.cache_clear()


def _plan_of(made: Kernels, device_index: int) -> Any:
    """Return the plan struct of kernels, without functions and nest."""
    plan = ffi.new("struct facula_cuda_elementwise *")
    plan.device, plan.words, plan.vector, plan.max_blocks = device_index, made.words, made.vector, MAX_BLOCKS
    plan.arrays, plan.outputs = len(made.itemsizes), made.outputs
    plan.record = record_of(device_index) if made.requires else 0
    plan.itemsize[0 : len(made.itemsizes)] = made.itemsizes
    return plan


def _doubles(made: Kernels) -> int:
    """Return which arguments of a launch are doubles, as bits."""
    first = made.words - len(made.scalars)
    return sum([1 << place for place, kind in enumerate(made.scalars, first) if kind is float])


def plan_elementwise(
    operator: str | Program, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan an elementwise operator or a program; None if there is no kernel for it, or for these layouts."""
    if not inputs or not outputs or any([layout is None for layout in inputs]):
        return None
    kinds = tuple([layout if isinstance(layout, type) else layout.dtype.code for layout in inputs])
    codes = tuple([layout.dtype.code for layout in outputs])
    arrays: list[Layout] = [layout for layout in inputs if not isinstance(layout, type)]
    if not isinstance(operator, str) and operator.reduction:
        shape = np.broadcast_shapes(*[array.shape for array in arrays])
        elements = contiguous(shape, outputs[0].dtype)  # that are reduced, which are not stored
        return _plan_packed(operator, kinds, arrays, elements, outputs, parameters)
    output = outputs[0]
    device_index = output.device.index or 0
    form = form_of(device_index, operator, kinds, codes)
    if form is None:
        return None
    name = operator if isinstance(operator, str) else operator.name
    if output.is_contiguous and all([one.is_contiguous and one.shape == output.shape for one in arrays]):
        plan = Plan(name, parameters, outputs, form.launch, any_size=True, for_layouts=form.for_layouts)
    else:
        launch = form.for_layouts(output, *arrays)
        if launch is None:  # there are too many dimensions
            return _plan_packed(operator, kinds, arrays, output, outputs, parameters)
        plan = Plan(name, parameters, outputs, launch, for_layouts=form.for_layouts)
    return reporting(plan, device_index, inputs) if form.reports else plan


def _plan_packed(
    operator: str | Program,
    kinds: tuple[int | type, ...],
    arrays: Sequence[Layout],
    elements: Layout,
    outputs: tuple[Layout, ...],
    parameters: tuple[Any, ...],
) -> Plan | None:
    """Plan an operator of arrays with many dimensions, or a program that ends in a sum or mean of all `elements`."""
    codes = tuple([layout.dtype.code for layout in outputs])
    steps = [stride * elements.dtype.itemsize for stride in elements.strides]
    given = [_broadcast(array, elements.ndim) for array in arrays]
    given += [[stride * one.dtype.itemsize for stride in elements.strides] for one in outputs]
    dims = [(length, *by) for length, _, *by in merged(list(zip(elements.shape, steps, *given, strict=True))[::-1])]
    room = room_for(dims)
    made = generate(operator, kinds, codes, room) if room else None
    if made is None or len(made.itemsizes) > lib.MAX_ARRAYS:
        return None
    name = operator if isinstance(operator, str) else operator.name
    kernel = Kernel(made.nested, "", MAX_BLOCKS, per=THREADS)
    constants: dict[str, Constant] = {"nest": packed(dims, len(made.itemsizes), room)}
    if made.folded:
        kernel = Kernel(made.folded, "", folded_blocks(elements.numel))
        constants = {"elements": elements.numel, **constants}
    return kernel_plan(
        name,
        parameters,
        outputs,
        [made.source],
        [kernel],
        pointers=" ".join([f"array_{place}" for place in range(len(made.itemsizes))]),
        scalars={f"scalar_{place}": kind for place, kind in enumerate(made.scalars)},
        constants=constants,
        scratch=bool(made.folded),
        checks=arrays if made.requires else (),
    )


def _broadcast(array: Layout, ndim: int) -> list[int]:
    """Return the steps in bytes of an array along the dimensions of a shape to which it is broadcast."""
    own = [
        0 if size == 1 else stride * array.dtype.itemsize
        for size, stride in zip(array.shape, array.strides, strict=True)
    ]
    return [*[0] * (ndim - array.ndim), *own]
