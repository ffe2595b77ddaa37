"""Custom kernels, registered by address: loops over elements, and functions of whole arrays.

Registration checks names, dtypes, numbers of operands, and that arrays are contiguous. It cannot check the function's
memory accesses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary
from facula_storage import DType, Layout

from ._elementwise.elementwise import find_form, find_program_form
from ._elementwise.programs import compile_program
from ._elementwise.typed import MOST_READ, typed_program
from ._kernels import ffi
from ._runtime.planners import bound_plan, no_kernel, planners
from ._runtime.registry import Kernel, find_kernel, kernel_names, own_loops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Plan

    from ._runtime.types import Inputs, Layouts, Parameters

own_functions: dict[tuple[str, tuple[int, ...]], tuple[int, bool]] = {}  # name, dtypes -> address, releases_gil
_owners: list[object] = []  # of all addresses ever registered, as plans may use any of them


@boundary
def register_loop(name: str, dtypes: Sequence[DType], address: int, *, cost: int = 1000, owner: object = None) -> None:
    """Add a loop over elements to the kernel table, under the name that plans request.

    The loop is a C function `void loop(int64_t n, const int64_t *address, const int64_t *step)`, which computes n
    elements. Element k of operand i (the last is the result) is at address[i] + k * step[i], in bytes. A step may be 0
    or negative. The backend handles strides, broadcasting and threads, and float16 and bfloat16 by way of a float32
    loop. The function runs in any thread, without the GIL: it must not access Python objects.

    Arguments:
        name: of an operator, different from those of built-in kernels.
        dtypes: of the operands, then of the result.
        address: of the function.
        cost: picoseconds per element, by which work is divided among threads.
        owner: an object that keeps the function in memory; referenced from now on.

    Raises:
        ValueError: a name in use, an address of 0, a wrong number of dtypes or a cost that is not positive.
    """
    codes = _checked("register_loop", name, dtypes, address)
    if not 2 <= len(codes) < MOST_READ:
        raise ArgumentError(
            f"register_loop: expected dtypes of 1 to {MOST_READ - 2} operands and of the result; got {len(codes)}"
        )
    if type(cost) is not int or cost <= 0:
        raise ArgumentError(f"register_loop: expected cost to be an int > 0, in picoseconds; got {cost!r}")
    _owners.append(owner)
    own_loops[name, codes] = Kernel(address, cost)
    for known in (find_kernel, typed_program, find_form, find_program_form, compile_program):
        known.cache_clear()


@boundary
def register_function(
    name: str, dtypes: Sequence[DType], address: int, *, releases_gil: bool = True, owner: object = None
) -> None:
    """Add a function of whole contiguous arrays, under the name that plans request.

    The function is a C function `int64_t function(const void *plan, int64_t *args)`. args[0] is the number of the
    result's elements, followed by the addresses of the operands and of the result. `plan` is an int64 array with the
    shape of each of them in the same order: the number of dimensions, and their lengths. It returns 0, or a number that
    the error reports.

    Arguments:
        name: of an operator, different from those of built-in kernels.
        dtypes: of the operands, then of the result.
        address: of the function.
        releases_gil: whether it runs without the GIL, concurrently: then it must not access Python objects.
        owner: an object that keeps the function in memory; referenced from now on.

    Raises:
        ValueError: a name in use, an address of 0, or no dtypes.
    """
    codes = _checked("register_function", name, dtypes, address)
    _owners.append(owner)
    own_functions[name, codes] = address, bool(releases_gil)
    planners[name] = _plan_function


def _checked(operation: str, name: str, dtypes: Sequence[DType], address: int) -> tuple[int, ...]:
    """Return the dtypes' codes; raise an error for an invalid registration."""
    if not isinstance(name, str) or not name:
        raise InvalidTypeError(f"{operation}: expected name to be a string; got {name!r}")
    if name in kernel_names() or (name in planners and planners[name] is not _plan_function):
        raise ArgumentError(f"{operation}: the name {name!r} is a built-in kernel's; choose another one")
    if not isinstance(dtypes, (tuple, list)) or not all([isinstance(dtype, DType) for dtype in dtypes]):
        raise InvalidTypeError(f"{operation}: expected a tuple of dtypes; got {dtypes!r}")
    if len(dtypes) < 2:
        raise ArgumentError(f"{operation}: expected dtypes of the operands and of the result; got {len(dtypes)} dtypes")
    if type(address) is not int:
        raise InvalidTypeError(f"{operation}: expected address to be an int; got {type(address).__name__}")
    if not 0 < address < 1 << 63:
        raise ArgumentError(f"{operation}: expected the address of a function; got {address}")
    return tuple([dtype.code for dtype in dtypes])


def _plan_function(operator: str, inputs: Inputs, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a call of a registered function with the addresses of contiguous arrays."""
    arrays = [layout for layout in (*inputs, *outputs) if isinstance(layout, Layout)]
    found = own_functions.get((operator, tuple([array.dtype.code for array in arrays])))
    if found is None or len(arrays) != len(inputs) + len(outputs):
        raise no_kernel(operator, inputs, outputs)
    for array in arrays:
        if not array.is_contiguous:
            raise ArgumentError(f"{operator}: expected contiguous arrays; got strides {array.strides}; copy it first")
    address, releases_gil = found
    shapes = [number for array in arrays for number in (len(array.shape), *array.shape)]
    cost = float("inf") if releases_gil else 0
    return bound_plan(
        operator, parameters, outputs, address, ffi.new("int64_t[]", shapes), arrays=len(arrays), cost=cost
    )
