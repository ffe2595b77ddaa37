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
from .launches import NEVER, Kernel, address_of, kernel_plan
from .reports import record_of, reporting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage.extend.plans import Program

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
        return _plan_folded(operator, kinds, arrays, outputs, parameters)
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
        if launch is None:
            return None
        plan = Plan(name, parameters, outputs, launch, for_layouts=form.for_layouts)
    return reporting(plan, device_index, inputs) if form.reports else plan


def _plan_folded(
    program: Program,
    kinds: tuple[int | type, ...],
    arrays: Sequence[Layout],
    outputs: tuple[Layout, ...],
    parameters: tuple[Any, ...],
) -> Plan | None:
    """Plan a program that ends in a sum or mean of all elements."""
    made = generate(program, kinds, tuple([layout.dtype.code for layout in outputs]))
    if made is None or len(made.itemsizes) > lib.MAX_ARRAYS or made.words > lib.MAX_WORDS:
        return None
    shape = np.broadcast_shapes(*[array.shape for array in arrays])
    elements = contiguous(shape, outputs[0].dtype)  # that are reduced, which are not stored
    nest = _nest(made, elements, arrays)
    if nest is None:
        return None
    return kernel_plan(
        program.name,
        parameters,
        outputs,
        [made.source],
        [Kernel(made.folded, "", folded_blocks(elements.numel))],
        pointers=" ".join([f"array_{place}" for place in range(len(made.itemsizes))]),
        scalars={f"scalar_{place}": kind for place, kind in enumerate(made.scalars)},
        constants={"elements": elements.numel, "nest": nest},
        scratch=True,
        checks=arrays if made.requires else (),
    )


def _nest(made: Kernels, output: Layout, arrays: Sequence[Layout]) -> list[int] | None:
    """Return the words of the nest for these layouts; None if they have too many dimensions."""
    form, plan = _plan_of(made._replace(requires=0), 0), ffi.new("struct facula_cuda_elementwise *")
    strides: list[int] = []
    for array in arrays:
        strides += [0] * (output.ndim - array.ndim)
        strides += [0 if size == 1 else stride for size, stride in zip(array.shape, array.strides, strict=True)]
    strides += output.strides
    if lib.facula_cuda_shape(plan, form, output.ndim, output.shape, strides) < 0:
        return None
    return list(plan.nest[0 : 1 + lib.MAX_NEST * (1 + len(made.itemsizes))])
