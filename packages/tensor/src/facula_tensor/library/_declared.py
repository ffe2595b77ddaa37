"""Declarations of elementwise operators from outside: an expression, or loops in C."""

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

_loops: set[str] = set()  # names that have one


@boundary
def elementwise(body: type) -> Callable[..., Any]:
    """The operator that a class declares: on each element of operands that broadcast and promote.

    Gives the function and the method of that name and, where the result has the operands' dtype, the in-place method
    with an underscore. The class says `value(F, *operands)`, an expression of other operators from which derivatives
    follow; or its name has a loop in C (`register_loop`), and it says `vjp_NAME(F, g, *operands)` for each operand that
    has a derivative. Operands are named by `inputs`, which is `("input",)` where it is left out; a class may say what
    is listed in docs/adding-an-operator.md.

    Arguments:
        body: the class.

    Raises:
        ValueError: an operator or a method of facula's has the name.

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
    taken = known is None and (name in composites or any([hasattr(Tensor, one) for one in methods]))
    if taken or (known is not None and known.module.partition(".")[0].startswith("facula_")):
        if not body.__module__.startswith("facula_tensor.library"):  # this docstring's, again
            raise ArgumentError(f"elementwise: facula has an operator or a method {name!r}; choose another name")
    if "value" not in vars(body) and vars(body).get("kernel", name) not in _loops:
        raise ArgumentError(
            f"elementwise: expected {name} to have `value(F, ...)`, or a loop; call register_loop first"
        )
    said = {key: value for key, value in vars(body).items() if not key.startswith("__")}
    check_declaration(name, said)
    named = {key: vars(body)[key] for key in ("__module__", "__doc__", "__qualname__") if key in vars(body)}
    vars(symbol_ops).pop(name, None)  # of one that was declared before, and is replaced
    public = declaration.elementwise(type(body.__name__, (), {**named, **with_checked_rules(name, said)}))
    op = operators[name]
    if op.inputs in (("input",), ("input", "other")):
        return public
    op.public = with_names(op, public)
    if methods:
        setattr(Tensor, name, op.public)
    return op.public


def with_names(op: Operator, call: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function of an operator, which takes its operands by their names, too."""
    form = Signature(
        [Parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in op.inputs]
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
    """Say which C function computes an elementwise operator for operands of these dtypes, on the CPU.

    It is called as `void loop(int64_t n, const int64_t *address, const int64_t *step)` and computes n elements: operand
    i, the result being the last, has element k at address[i] + k * step[i], in bytes; a step may be 0 or negative. The
    result may be the same memory as an operand, and is never another's in part. Strides, broadcasting, numbers, threads
    and in-place forms are the library's, and float16 and bfloat16 come through a float32 loop. It runs in several
    threads at once, without the GIL, and must not touch Python objects. Declare the operator afterwards, by
    `elementwise`.

    Arguments:
        name: the operator's.
        dtypes: of the operands, then of the result.
        function: of ctypes, of `numba.cfunc`, a capsule of Cython's `__pyx_capi__`, or an address. It is kept alive, so
            what is given should keep its code loaded.
        cost: picoseconds an element takes, by which work is given to threads.

    Raises:
        ValueError: the name is that of a kernel which is built in, or a wrong number of dtypes.
    """
    facula_cpu.register_loop(name, dtypes, address_of("register_loop", function), cost=cost, owner=function)
    _loops.add(name)
