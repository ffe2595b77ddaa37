"""Declarations of user-defined elementwise operators: by an expression, or by loops in C."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

import facula_cpu
from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback

from .._core.tensor import Tensor
from .._dispatch import declaration
from .._dispatch.expressions.symbols import symbol_ops
from .._dispatch.namespaces import composites, operators
from ._addresses import address_of
from ._elementwise_checks import check_declaration, with_checked_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import DType

    from .._dispatch.operator import Operator

_loops: set[str] = set()  # names of operators with a registered loop


@boundary
def elementwise(body: type) -> Callable[..., Any]:
    """Declare an elementwise operator by a class; its operands broadcast and promote.

    Defines the function and the method of that name. If the result has the operands' dtype, it also defines the
    in-place method with an underscore. The class has one of two forms:

    * It defines `value(F, *operands)`, an expression of other operators. Derivatives follow from it.
    * Its name has a loop in C (`register_loop`), and it defines `vjp_NAME(F, g, *operands)` for each differentiable
      operand.

    `inputs` names the operands; the default is `("input",)`. docs/how-to/adding-an-operator.md lists the others.

    Arguments:
        body: the class with the declaration.

    Raises:
        ValueError: facula already has an operator or a method with this name.

    >>> from facula_tensor import tensor
    >>> @elementwise
    ... class rational:
    ...     '''x / (1 + abs(x)) of each element.'''
    ...
    ...     def value(F, input):
    ...         return input / (1 + abs(input))
    >>> tensor([1.0, -3.0]).rational()
    tensor([ 0.5000, -0.7500])
    """
    if not isinstance(body, type):
        raise InvalidTypeError(f"elementwise: expected a class; got {type(body).__name__}")
    name = body.__name__.lstrip("_")
    known = operators.get(name)
    methods = () if body.__name__.startswith("_") else (name, f"{name}_")
    taken = known is None and (name in composites or any([hasattr(Tensor, method) for method in methods]))
    if taken or (known is not None and known.module.partition(".")[0].startswith("facula_")):
        if not body.__module__.startswith("facula_tensor.library"):  # a doctest that runs repeatedly
            raise ArgumentError(f"elementwise: facula has an operator or a method {name!r}; choose another name")
    if "value" not in vars(body) and vars(body).get("kernel", name) not in _loops:
        raise ArgumentError(
            f"elementwise: expected {name} to have `value(F, ...)`, or a loop; call register_loop first"
        )
    said = {key: value for key, value in vars(body).items() if not key.startswith("__")}
    check_declaration(name, said)
    named = {key: vars(body)[key] for key in ("__module__", "__doc__", "__qualname__") if key in vars(body)}
    vars(symbol_ops).pop(name, None)  # cached for a declaration that this one replaces
    public = declaration.elementwise(type(body.__name__, (), {**named, **with_checked_rules(name, said)}))
    op = operators[name]
    if op.inputs in (("input",), ("input", "other")):
        return public
    op.public = with_names(op, public)
    if methods:
        setattr(Tensor, name, op.public)
    return op.public


def with_names(op: Operator, call: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return an operator's function, extended to accept operands by keyword."""
    form = Signature(
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in op.inputs]
        + [Parameter("out", Parameter.KEYWORD_ONLY, default=None)]
    )

    def function(*operands: Any, out: Tensor | None = None, **named: Any) -> Tensor:
        try:
            if named or len(operands) != op.arity:
                try:
                    operands = form.bind(*operands, **named).args
                except TypeError as error:
                    raise InvalidTypeError(f"{op.name}: {error}; its operands are {', '.join(op.inputs)}") from None
            return call(*operands) if out is None else call(*operands, out=out)
        except FaculaError as error:
            trim_traceback(error)
            raise

    declaration._name(function, op, op.name)
    function.__signature__ = form  # type: ignore[attr-defined]
    return function


@boundary
def register_loop(name: str, dtypes: Sequence[DType], function: object, *, cost: int = 1000) -> None:
    """Register a C function as the CPU loop of an elementwise operator, for operands of these dtypes.

    The library calls it as `void loop(int64_t n, const int64_t *address, const int64_t *step)` to compute n elements.
    Operand i, with the result last, has element k at address[i] + k * step[i], in bytes. A step may be 0 or negative.
    The result may be the same memory as an operand; it never overlaps one partially. The library handles strides,
    broadcasting, numbers, threads and in-place forms, and runs float16 and bfloat16 through a float32 loop. The loop
    runs in several threads at once without the GIL and must not touch Python objects. Declare the operator afterwards,
    with `elementwise`.

    Arguments:
        name: the name of the operator.
        dtypes: the dtypes of the operands, then of the result.
        function: a ctypes function, a `numba.cfunc`, a capsule from Cython's `__pyx_capi__`, or an address. The library
            keeps a reference to it, so the object should keep its code loaded.
        cost: the time for one element in picoseconds, which determines how work is divided among threads.

    Raises:
        ValueError: the name belongs to a built-in kernel, or the number of dtypes is wrong.
    """
    facula_cpu.register_loop(name, dtypes, address_of("register_loop", function), cost=cost, owner=function)
    _loops.add(name)
