"""Operators on whole arrays, computed by C functions that are given by their addresses."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, NoReturn

import facula_cpu
from facula_autograd import enable_grad, no_grad
from facula_autograd.extend.functions import FunctionContext
from facula_autograd.extend.transforms import take_apart
from facula_errors import ArgumentError, DTypeError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import DType, Layout, contiguous

from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import innermost
from .._creation.filled import zeros
from .._dispatch.declaration import make_calls
from .._dispatch.namespaces import no_record_ops, recorded_ops
from .._dispatch.operator import Operator
from ..transforms.custom_batch import VmapInfo
from ._addresses import address_of
from ._arguments import Arguments
from ._calls import Call, no_gradient
from ._definition import CustomOpDef, register_operator
from ._function import batched_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._core.types import Edges, Operands, Parameters
    from .._dispatch.namespaces import Namespace
    from ..transforms.batched_call import BatchedCall


Shape = tuple[int, ...]


class NativeOp(CustomOpDef):
    """An operator on whole arrays that a C function computes; created by `native_op`.

    It has the features of built-in operators: plans cached by layout, the fast path, and nodes that save operands and
    result.
    """

    def __init__(
        self,
        name: str,
        signatures: dict[tuple[DType, ...], DType],
        inputs: tuple[str, ...],
        shape: Callable[..., Shape] | None,
        doc: str,
    ):
        parameters = [Parameter(operand, Parameter.POSITIONAL_OR_KEYWORD) for operand in inputs]
        super().__init__(name, self.__call__, Arguments("native_op", Signature(parameters)))
        self.signatures, self.shape, self.__doc__, self.__name__ = signatures, shape, doc, self.name
        self._count = len(inputs)
        self._call = Call(self, take_apart((inputs, {}))[1])
        self._make()

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        try:
            if kwargs or len(args) != self._count:
                args, _ = self.arguments.bind(self.name, args, kwargs)
            result: Tensor = self._launch(*args)
            return result
        except FaculaError as error:
            trim_traceback(error)
            raise

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Register the operator's gradient. `setup_context` runs before `backward`, during the backward pass."""
        super().register_autograd(backward, setup_context=setup_context)
        self._make()

    def register_fake(self, function: Any, /) -> NoReturn:
        """Raise an error: `shape` and the dtypes already determine the result's layout."""
        raise ArgumentError(
            f"{self.name}: native_op's shape and dtypes already define the result; remove the second definition"
        )

    def register_kernel(self, device_types: Any, function: Any = None, /) -> NoReturn:
        """Raise an error: the given functions are the kernels."""
        raise ArgumentError(f"{self.name}: native_op's functions already compute it; remove the second implementation")

    # ------------------------------------------------------------------------------------------------- the operator
    def _make(self) -> None:
        """Create the operator with the current rule."""
        names = self.arguments.positional
        body: dict[str, Any] = {
            "inputs": names,
            "kernel": f"own::{self.name}",
            "outputs": self._output,
            "decompose": self._copied,
            "direct": is_dense,
            "batching": self._batched,
            "__doc__": self.__doc__ or "",
            "__module__": __name__,
        }
        if self.backward is None:
            body |= {f"vjp_{name}": self._no_rule() for name in names}
        elif self.setup_context is None and self._count == 1:  # the fast path of unary operators
            body[f"vjp_{names[0]}"] = self._single_rule(names[0])
        else:
            body["vjp_all"] = self._rule(names)
        self._operator = op = Operator(type(self.name, (), body), is_elementwise=False)
        op.public = make_calls(op)
        op.public.__name__ = self.name
        self._launch = op.library_call

    def _output(self, *layouts: Layout) -> Layout:
        """Return the result's layout; raise an error for dtypes without a function."""
        dtype = self.signatures.get(tuple([layout.dtype for layout in layouts]))
        if dtype is None:
            taken = " or ".join([f"({', '.join([entry.name for entry in dtypes])})" for dtypes in self.signatures])
            got = ", ".join([layout.dtype.name for layout in layouts])
            raise DTypeError(f"{self.name}: expected dtypes {taken}; got ({got}); convert with .to(dtype)")
        shape = layouts[0].shape if self.shape is None else self.shape(*[tuple(layout.shape) for layout in layouts])
        if not isinstance(shape, tuple) or not all([type(size) is int and size >= 0 for size in shape]):
            raise ArgumentError(f"{self.name}: expected its shape function to give a tuple of ints >= 0; got {shape!r}")
        return contiguous(tuple(shape), dtype, layouts[0].device)

    def _copied(self, F: Namespace, operands: Operands, parameters: Parameters) -> Tensor | None:
        """Repeat the call with contiguous copies if an operand is not contiguous."""
        if innermost(operands) is not None or is_dense(*[layout_of_tensor(operand) for operand in operands]):
            return None
        call = self._operator.no_record if F is no_record_ops else self._operator.library_call
        result: Tensor = call(*[F.contiguous(operand) for operand in operands])
        return result

    def _rule(self, names: tuple[str, ...]) -> Callable[..., Any]:
        """Return the vjp rule of all operands at once."""
        backward, setup_context, count = self.backward, self.setup_context, self._count
        assert backward is not None

        def rule(F: Namespace, g: Tensor, edges: Edges, *values: Any) -> list[Tensor | None]:
            wanted = tuple([edge is not None for edge in edges])
            layouts, saved = values[:count], values[count:]
            with no_grad() if F is no_record_ops else enable_grad():
                ctx = FunctionContext(self._function, wanted)  # type: ignore[arg-type]  # mypy: no __name__
                if setup_context is not None:
                    setup_context(ctx, saved[:-1], saved[-1])
                found = self._call.gradients(backward(ctx, g), layouts)
            return [
                None if not is_wanted else zeros(like.shape, dtype=like.dtype, device=like.device) if h is None else h
                for h, like, is_wanted in zip(found, layouts, wanted, strict=True)
            ]

        results = (*names, "out") if setup_context is not None else ()
        rule.parameter_names = ("edges", *[f"{name}_layout" for name in names], *results)  # type: ignore[attr-defined]
        return rule

    def _single_rule(self, name: str) -> Callable[..., Any]:
        """Return the vjp rule of the only operand, which saves no tensors."""
        rule_of_all = self._rule((name,))

        def rule(F: Namespace, g: Tensor, layout: Layout) -> Tensor:
            found: list[Tensor] = rule_of_all(F, g, (True,), layout)
            return found[0]

        rule.parameter_names = (f"{name}_layout",)  # type: ignore[attr-defined]
        return rule

    def _no_rule(self) -> Callable[..., Any]:
        """Return the rule of an operator without a gradient, which raises an error."""

        def rule(F: Namespace, g: Tensor) -> NoReturn:
            raise no_gradient(self.name)

        return rule

    def _batched(self, F: Namespace, call: BatchedCall) -> Tensor | None:
        """Return the result for a batch by the rule of `register_vmap`; None without one."""
        if self.batch_rule is None:
            return None
        in_dims = tuple([0 if is_batched else None for is_batched in call.batched])
        info = VmapInfo(call.size, call.level.randomness)
        output, dim = batched_pair(self.name, self.batch_rule(info, in_dims, *call.contents))
        if not isinstance(output, Tensor) or not (dim is None or type(dim) is int):
            raise InvalidTypeError(
                f"{self.name}: expected the rule of register_vmap to return a tensor and the place of its batch, an "
                f"int or None; got {type(output).__name__} and {dim!r:.60}"
            )
        result: Tensor = output if dim is None else call.level.make(recorded_ops.movedim(output, dim, 0))
        return result


def is_dense(*layouts: Layout) -> bool:
    """Return whether arrays of these layouts are contiguous, as the functions require."""
    return all([layout.is_contiguous for layout in layouts])


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
    """Create an operator on whole contiguous arrays, computed by C functions.

    The library calls a function as `int64_t function(const void *plan, int64_t *args)`. args[0] is the number of
    elements of the result; the addresses of the operands and of the result follow. `plan` is an array of int64 with the
    shape of each operand and of the result: the number of dimensions, then their lengths. The function returns 0 on
    success. Any other number raises an error, and the function may be called a second time before that. Operands that
    are not contiguous are copied first. Several threads may call the function at once.

    Arguments:
        name: the qualified name, for example "mylib::cumulate".
        functions: a mapping from dtypes, of the operands and then of the result, to the function: a ctypes function, a
            `numba.cfunc`, a capsule from Cython's `__pyx_capi__`, or an address. The operator keeps references to them.
        inputs: the names of the operands.
        shape: computes the result's shape from the shapes of the operands; by default that of the first operand.
        releases_gil: whether the functions run without the GIL, concurrently with other threads. They must then not
            touch Python objects.
        doc: the operator's docstring.

    Returns:
        A `CustomOpDef`, with `register_autograd`.

    Raises:
        ValueError: the number of dtypes is wrong, an address is 0, or the name is invalid.
    """
    short = name.rpartition("::")[2] if isinstance(name, str) else ""
    if not short.isidentifier():
        raise ArgumentError(f"native_op: expected a name such as 'mylib::cumulate'; got {name!r}")
    if (
        not isinstance(inputs, tuple)
        or not inputs
        or not all([isinstance(operand, str) and operand.isidentifier() for operand in inputs])
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
    return register_operator(name, NativeOp(name, signatures, inputs, shape, doc))
