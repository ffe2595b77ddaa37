"""The lookup of an operator's planner, and the last step of all planners: binding a kernel to its plan struct."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import UnsupportedError
from facula_storage import Plan, bind
from facula_storage.extend.plans import rebind, workspace_of

from .._kernels import ffi
from .registry import kernel_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout

    from .types import ForLayouts, Inputs, Layouts, Parameters, Planner, Struct

# Note [When to share]
# ~~~~~~~~~~~~~~~~~~~~
# Estimated work, in picoseconds, decides three things. Below SERIAL, waking other threads costs more
# than they save. A GRAIN is the smallest piece worth handing to one. Below RELEASE, the GIL is kept:
# a thread that releases it while another Python thread is busy waits up to the switch interval (5 ms)
# to get it back, while other threads do not notice such a short hold.
SERIAL = 5_000_000
GRAIN = 2_000_000
RELEASE = 50_000_000
NEVER = 1 << 62
INTPTR = ffi.typeof("intptr_t")

planners: dict[str, Planner] = {}  # the function that plans an operator, by its name


def planner(*operators: str) -> Callable[[Planner], Planner]:
    """Register the decorated function as the planner of these operators.

    It is called as `plan(operator, inputs, outputs, parameters)` and returns a Plan, or raises NotImplementedError.
    """

    def register(function: Planner) -> Planner:
        for operator in operators:
            planners[operator] = function
        return function

    return register


def release_at(cost: float) -> int:
    """Return the number of elements, at `cost` picoseconds each, from which a launch releases the GIL."""
    return int(RELEASE / cost) if cost > 0 else NEVER


def bound_plan(
    operator: str,
    parameters: Parameters,
    outputs: Layouts,
    kernel: int,
    struct: Struct | None,
    *,
    arrays: int,
    scalars: Sequence[type] = (),
    many: int | None = 0,
    cost: float = 0,
    workspace: int = 0,
    any_size: bool = False,
    also: Sequence[object] = (),
) -> Plan:
    """Return a plan of the result of `bound_launch` for the same arguments."""
    launch = bound_launch(kernel, struct, arrays=arrays, scalars=scalars, many=many, cost=cost, workspace=workspace,
                          also=also)  # fmt: skip
    return Plan(operator, parameters, outputs, launch, workspace, any_size)


def bound_launch(
    kernel: int,
    struct: Struct | None,
    *,
    arrays: int,
    scalars: Sequence[type] = (),
    many: int | None = 0,
    cost: float = 0,
    workspace: int = 0,
    also: Sequence[object] = (),
) -> Callable[..., None]:
    """Return the launch of the kernel at address `kernel` with the cffi struct `struct` (or None).

    `arrays` counts the addresses at launch (inputs and outputs, without the workspace). `scalars` are the types of the
    scalars after them: int, float, or complex (passed as two floats). `many` counts further addresses, for operators on
    any number of tensors; with None the launch itself counts them. `cost` is the estimated work in picoseconds per unit
    of the launch's n. `also` are structs that `struct` points to.
    """
    doubles, at = 0, 1 + arrays + (workspace > 0)
    for kind in scalars:
        if kind is complex:
            doubles |= 3 << at
            at += 1
        elif kind is float:
            doubles |= 1 << at
        at += 1
    address = 0 if struct is None else int(ffi.cast(INTPTR, struct))
    return bind(kernel, address, release_at(cost), doubles, (struct, *also), -at if many is None else at + many)


class Strided(NamedTuple):
    """The part of a layout that launches need; strides count elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]


def shaped_launches(
    kernel: int, shape: str, struct: str, arrays: int, floats: int = 0, /, **form: object
) -> ForLayouts:
    """Return `for_layouts` of a plan that C fills in.

    Arguments:
        kernel: the address of the kernel.
        shape: the name of the function in the kernel table that fills in its struct.
        struct: the type of that struct.
        arrays: the number of addresses at launch, without the workspace.
        floats: the number of scalars after them, which are floats; only without workspace.
        form: fields of the struct facula_form from which the function fills it in.
    """
    made = ffi.new("struct facula_form *", form)
    # The first owner tells portable plans the type of the struct.
    owner = (ffi.cast(f"struct {struct} *", 0), made)
    doubles = ((1 << floats) - 1) << 1 + arrays
    launch = bind(kernel, int(ffi.cast(INTPTR, made)), NEVER, doubles, owner, 1 + arrays + floats)
    return partial(rebind, launch, kernel_for(shape).address)


def plan_for_layouts(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    *,
    kernel: int,
    shape: str,
    struct: str,
    views: Callable[..., Sequence[Layout | Strided | None] | None] | None = None,
    numbers: Sequence[object] = (),
    floats: int = 0,
    **form: object,
) -> Plan:
    """Return a plan that C fills in for these layouts, and for later ones of the same kind.

    Arguments:
        operator, inputs, outputs, parameters: of the plan.
        kernel, shape, struct, floats, form: as for `shaped_launches`.
        views: a function that receives the launch's layouts (outputs, inputs, then varying parameters) and returns the
            arrays to plan for, or None if this kernel does not fit. Plans with views have no `numbers`.
        numbers: the parameters that depend on shapes: integers, or tuples of them.
    """
    arrays = (*outputs, *inputs)
    seen = views(*arrays) if views else arrays
    assert seen is not None, f"{operator}: planners check their operands"
    for_layouts = shaped_launches(kernel, shape, struct, len(seen), floats, **form)
    found = for_layouts(*seen, *numbers)
    if views:
        for_layouts = partial(launch_of_views, for_layouts, views)
    if found is None:
        ranks = ", ".join([str(array and len(array.shape)) for array in arrays])
        raise UnsupportedError(f"{operator}: expected ranks that match, at most 64; got {ranks} (results, operands)")
    return Plan(operator, parameters, outputs, found, workspace_of(found), for_layouts=for_layouts)


def launch_of_views(
    launches: ForLayouts, views: Callable[..., Sequence[Layout | Strided | None] | None], *arrays: Any
) -> Callable[..., None] | None:
    """Return the launch for views of these arrays; None if there is none."""
    seen = views(*arrays)
    return None if seen is None else launches(*seen)


def no_kernel(operator: str, inputs: Inputs, outputs: Layouts) -> NotImplementedError:
    """Return the error for dtypes without a kernel."""
    given = ", ".join(
        layout.__name__ if isinstance(layout, type) else "None" if layout is None else layout.dtype.name
        for layout in inputs
    )
    made = ", ".join(layout.dtype.name for layout in outputs)
    return UnsupportedError(f"{operator}: the CPU has no kernel for ({given}) -> {made}; convert the operands")
