"""Plans of strided copies and additions in boxes; see Note [Moves] in moves.dispatch.c."""

from __future__ import annotations

from itertools import chain
from struct import pack
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import UnsupportedError
from facula_storage import Plan, bind
from facula_storage.extend.plans import unbind

from .._kernels import ffi
from .._runtime.registry import kernel_for
from .elementwise import find_form

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout

    from .._runtime.types import Parameters

SHAPE = "int64_t (*)(void *, void *, int64_t, int64_t *, int64_t *)"  # FACULA_SHAPE, here for boxes
Dim = tuple[int, int, int]  # extent, step of the source, step of the target


class Box(NamedTuple):
    """Elements that are copied or added; places and steps count elements, and steps may be negative.

    All boxes of a plan have the same number of dimensions.
    """

    dims: tuple[Dim, ...]
    source: int = 0
    target: int = 0
    add: bool = False


def plan_boxes(
    operator: str, parameters: Parameters, output: Layout, boxes: Sequence[Box], fill: tuple[float, ...] | None = None
) -> Plan:
    """Return the plan that moves the boxes one after the other to a contiguous output, after filling it.

    Arguments:
        operator, parameters: of the plan.
        output: the layout of the target.
        boxes: the boxes, without empty ones. Additions require float32 or float64.
        fill: the number (two for complex dtypes) that elements have before; None if boxes copy to all of them.
    """
    kernel = kernel_for("moves", output.dtype.itemsize)
    boxes = boxes if output.numel else ()
    numbers = [output.numel, fill is not None, len(boxes[0].dims) if boxes else 0]
    for box in boxes:
        numbers += box.add, box.source, box.target, *chain.from_iterable(box.dims)
    form = ffi.new("struct facula_form *", {"itemsize": output.dtype.itemsize, "cost": kernel.cost})
    shape: Callable[..., int] = ffi.cast(SHAPE, kernel_for("moves_shape").address)  # type: ignore[assignment]
    given = form, len(boxes), ffi.new("int64_t[]", numbers), ffi.NULL
    room = max(shape(ffi.NULL, *given) - ffi.sizeof("struct facula_moves"), 0)
    struct = ffi.new("struct facula_moves *", {"nest": room // 8})
    release = shape(struct, *given)
    if release < 0:
        raise UnsupportedError(f"{operator}: at most 64 dimensions can be walked; got {numbers[2]}; copy first")
    address = int(ffi.cast("intptr_t", struct))
    if fill is not None:
        struct.value = element(output.dtype.code, fill)
    return Plan(operator, parameters, (output,), bind(kernel.address, address, release, 0, (struct,), 3))


def element(code: int, number: tuple[float, ...]) -> list[int]:
    """Return the bytes of a number (two for complex dtypes) as an element of a dtype. Recorders do not observe this."""
    form = find_form("fill", ({1: type(number[0]), 2: complex}[len(number)],), code)
    assert form is not None
    kernel, plan, doubles, _ = unbind(form.launch)
    made = ffi.new("int64_t[2]")
    address = int(ffi.cast("intptr_t", made))
    given = pack(f"=qq{'d' if doubles else 'q'}{'d' * (len(number) - 1)}", 1, address, *number)
    run: Callable[..., int] = ffi.cast("int64_t (*)(void *, void *)", kernel)  # type: ignore[assignment]
    run(ffi.cast("void *", plan), ffi.from_buffer(given))
    return [made[0], made[1]]
