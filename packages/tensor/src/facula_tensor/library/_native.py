"""Operators on whole arrays that a C function computes, given by its address."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import facula_cpu
from facula_errors import ArgumentError, DTypeError, InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_storage import DType, LaunchError, Layout, contiguous
from facula_storage.extend import PlanTable, allocate, plain_address

from .._core.tensor import Tensor, layout_of_tensor, make
from .._dispatch.namespaces import no_record_ops
from ._addresses import address_of
from ._custom import CustomOpDef, known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


Shape = tuple[int, ...]


class NativeOp(CustomOpDef):
    """An operator on whole arrays, by the address of a C function: what `native_op` gives."""

    def __init__(
        self,
        name: str,
        signatures: dict[tuple[DType, ...], DType],
        inputs: tuple[str, ...],
        shape: Callable[..., Shape] | None,
        doc: str,
    ):
        super().__init__(
            name, self._compute, Signature([Parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in inputs])
        )
        self.signatures, self.shape, self.__doc__ = signatures, shape, doc
        self.plans = PlanTable(self.name)

    def register_fake(self, function: Callable[..., Tensor], /) -> Callable[..., Tensor]:
        """Refused: `shape` and the dtypes said what the result looks like."""
        raise ArgumentError(f"{self.name}: what its result looks like was said by native_op's shape and dtypes")

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        given = super()._bind(args, kwargs)
        for name, one in zip(self.__signature__.parameters, given, strict=True):
            if not isinstance(one, Tensor):
                raise InvalidTypeError(f"{self.name}: expected '{name}' to be a tensor; got {type(one).__name__}")
        return given

    def _compute(self, given: tuple[Any, ...]) -> Tensor:
        operands = [no_record_ops.contiguous(one) for one in given]
        layouts = tuple([layout_of_tensor(one) for one in operands])
        plan = self.plans.by_key.get(layouts)
        if plan is None:
            output = self._output(layouts)
            plan = output.device.backend.plan(f"own::{self.name}", layouts, (output,), ())
            plan = self.plans.add(layouts, plan)
        (output,) = plan.outputs
        storage = allocate(output)
        places = [(one._storage, one._offset) for one in operands]
        try:
            plan.launch(output.numel, *[plain_address(one) + offset for one, offset in places], storage.ptr)
        except LaunchError as error:
            raise OperationError(f"{self.name}: its function returned {error.args[0]}, and not 0") from None
        return make(Tensor, output, storage)

    def _output(self, layouts: tuple[Layout, ...]) -> Layout:
        """What the result looks like; an error for dtypes that no function takes."""
        dtype = self.signatures.get(tuple([one.dtype for one in layouts]))
        if dtype is None:
            taken = " or ".join([f"({', '.join([one.name for one in dtypes])})" for dtypes in self.signatures])
            got = ", ".join([one.dtype.name for one in layouts])
            raise DTypeError(f"{self.name}: expected dtypes {taken}; got ({got}); convert with .to(dtype)")
        shape = layouts[0].shape if self.shape is None else self.shape(*[tuple(one.shape) for one in layouts])
        if not isinstance(shape, tuple) or not all([type(one) is int and one >= 0 for one in shape]):
            raise ArgumentError(f"{self.name}: expected its shape function to give a tuple of ints >= 0; got {shape!r}")
        return contiguous(tuple(shape), dtype, layouts[0].device)


@boundary
def native_op(
    name: str,
    functions: Mapping[tuple[DType, ...], object],
    /,
    *,
    inputs: tuple[str, ...] = ("input",),
    shape: Callable[..., Shape] | None = None,
    releases_gil: bool = True,
    doc: str = "",
) -> CustomOpDef:
    """One operator that C functions compute, on whole contiguous arrays.

    A function is called as `int64_t function(const void *plan, int64_t *args)`. args[0] is the number of the result's
    elements; then come the addresses of the operands and of the result. `plan` is an array of int64 with the shape of
    each of them in turn: the number of dimensions, and their lengths. It returns 0; any other number is an error.
    Operands that are not contiguous are copied first. It may be called in several threads at once.

    Arguments:
        name: as "mylib::cumulate".
        functions: for each tuple of dtypes, of the operands and then of the result, the function: of ctypes, of
            `numba.cfunc`, a capsule of Cython's `__pyx_capi__`, or an address. They are kept alive.
        inputs: the names of the operands.
        shape: gives the result's shape from those of the operands; without it, that is the first one's.
        releases_gil: whether the functions run without the GIL, beside other threads: they must not touch Python
            objects then.
        doc: the operator's docstring.

    Returns:
        A `CustomOpDef`, with `register_autograd`.

    Raises:
        ValueError: a wrong number of dtypes, an address of 0, a name that is none.
    """
    short = name.rpartition("::")[2] if isinstance(name, str) else ""
    if not short.isidentifier():
        raise ArgumentError(f"native_op: expected a name such as 'mylib::cumulate'; got {name!r}")
    if (
        not isinstance(inputs, tuple)
        or not inputs
        or not all([isinstance(one, str) and one.isidentifier() for one in inputs])
    ):
        raise ArgumentError(f"native_op: expected inputs to be a tuple of names; got {inputs!r}")
    if not hasattr(functions, "items") or not functions:
        raise InvalidTypeError(f"native_op: expected a dict from dtypes to functions; got {functions!r}")
    if shape is not None and not callable(shape):
        raise InvalidTypeError(f"native_op: expected shape to be a function; got {type(shape).__name__}")
    signatures: dict[tuple[DType, ...], DType] = {}
    for dtypes, function in functions.items():
        if not isinstance(dtypes, tuple) or len(dtypes) != len(inputs) + 1:
            raise ArgumentError(
                f"native_op: expected dtypes of {len(inputs)} operands and of the result; got {dtypes!r}"
            )
        facula_cpu.register_function(
            f"own::{short}", dtypes, address_of("native_op", function), releases_gil=releases_gil, owner=function
        )
        signatures[dtypes[:-1]] = dtypes[-1]
    made = known[name] = NativeOp(name, signatures, inputs, shape, doc)
    return made
