"""The level that traces one fused function: it records the operators that the function calls on stand-ins.

Note [Fused as written]
~~~~~~~~~~~~~~~~~~~~~~~
A program computes in one dtype. A function may need another one: its tensors are integers or have several
dtypes, it converts, or it does arithmetic with a bool. The level then stores the reason in `FuseLevel.why` and
continues, so that operations that are not elementwise are still refused. The trace is discarded, and the
function runs eagerly.

Numeric arguments are replaced by zero-dimensional tensors, which are operands of the program. Python computes
expressions of numbers alone: a `Source` describes how to compute them from the arguments of a call. A function
that reads a number (`if n > 0`, `math.sin(n)`) or does more with it raises `NumberUsedError`. It is then traced
again with the number itself, once for each value.
"""

from __future__ import annotations

import operator
from sys import _getframe
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from facula_storage import Layout, bool_, contiguous, int64
from facula_storage.extend.objects import new_instance

from .._core.call_sites import ACCESSORS
from .._core.errors import named
from .._core.promotion import get_default_dtype, scalar_dtype
from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import NO_STORAGE, Level, LevelLayout
from .._dispatch.declaration import make_calls
from .._dispatch.expressions.symbols import NotElementwiseError, Symbol, Trace, record_symbolic_call, symbol_ops
from .._dispatch.namespaces import operators
from .._dispatch.operator import Operator
from .._dispatch.overrides import plain_torch_function
from .._dispatch.slow_path.planning import output_layouts
from .levels import is_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import DType

    from .._core.types import Operands, Parameters

    Source = Callable[[tuple[Any, ...]], Any]  # the arguments of a call -> an operand of the program

# Python's functions of numbers, by the operators' names.
OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pow": operator.pow,
}
# Python's functions that return the same bool as the operator for bools; others treat bools as integers.
OF_BOOLS = frozenset("bitwise_and bitwise_or bitwise_xor bitwise_not eq ne lt le gt ge add mul where".split())


class NumberUsedError(NotElementwiseError):
    """Raised if a function uses a number in a way that a program cannot express.

    `places`: the positions of the arguments to pass unchanged.
    """

    def __init__(self, places: frozenset[int]):
        super().__init__("a number of the fused function's is looked at")
        self.places = places


class SymbolLayout(LevelLayout):
    """The layout slot of a stand-in.

    - `shown`: the layout of the value that it represents; `symbol`: the recorded expression.
    - `places`: the positions of the arguments that it depends on; `source`: for numbers, how a call computes it.
    """

    __slots__ = ("places", "shown", "source", "symbol")
    level: FuseLevel

    def __init__(
        self, level: FuseLevel, shown: Layout, symbol: Symbol, places: frozenset[int], source: Source | None = None
    ):
        self.level, self.shown, self.symbol, self.places, self.source = level, shown, symbol, places, source

    @property
    def real(self) -> Layout:  # type: ignore[override]
        """The layout. If the user's code reads it, the result may depend on lengths."""
        frame = _getframe(1)
        while (name := frame.f_globals.get("__name__", "")) in ACCESSORS and frame.f_back is not None:
            frame = frame.f_back
        if not name.startswith("facula_"):  # otherwise an operator of this package read it
            self.level.looked = True
        return self.shown

    def constant(self) -> Tensor:
        """Return the same elements without derivatives."""
        symbol = self.symbol if self.source is not None else record_symbolic_call(DETACHED, self.symbol)
        return self.level.make(self.shown, symbol, self.places, self.source)

    def readable(self, operation: str) -> NoReturn:
        if self.source is not None:
            raise NumberUsedError(self.places)
        raise named(
            NotElementwiseError(
                f"{operation or 'value'}: reads a value in the fused function {self.level.name}, which is called once "
                "for all elements; use where(condition, a, b) for a choice between elements"
            )
        )

    def no_address(self, operation: str) -> NoReturn:
        self.readable(operation)


def standing_in(tensor: Tensor) -> SymbolLayout:
    """The layout slot of a stand-in."""
    layout: Any = tensor._layout
    assert type(layout) is SymbolLayout
    return layout


class Operand(NamedTuple):
    """An operand of a program: its layout or type, how to compute it from the arguments, and a tensor's position."""

    layout: Layout | type
    source: Source
    place: int


class StandIn(Tensor):
    """The stand-in for a tensor argument. A program cannot know its role in a backward pass."""

    __torch_function__ = classmethod(plain_torch_function)  # type: ignore[var-annotated]  # it overrides no operators

    @property  # type: ignore[misc]
    def requires_grad(self) -> bool:
        """False; a function that reads it runs eagerly."""
        if _asked_by_user():
            standing_in(self).level.runs_as_written("it asks a tensor's requires_grad")
        return False


class NumberStandIn(StandIn):
    """The stand-in for a number. A user's program that checks its type is traced with the number itself."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        if _asked_by_user():
            raise NumberUsedError(standing_in(self).places)
        return NumberStandIn


def _asked_by_user() -> bool:
    """Whether code outside this package reads a property of a stand-in."""
    return not _getframe(2).f_globals.get("__name__", "").startswith("facula_")


class FuseLevel(Level):
    """A call of a function with stand-ins.

    `dtype`: the dtype that its program computes in. `looked`: whether it reads a shape. `why`: the reason if it
    must run eagerly. `operands`: the program's possible operands, by the numbers of their symbols. `of_numpy`:
    the positions of NumPy scalars.
    """

    __slots__ = ("dtype", "looked", "name", "of_numpy", "operands", "trace", "why")
    traces = True

    def __init__(self, name: str, dtype: DType) -> None:
        super().__init__()
        self.name, self.dtype = name, dtype
        self.trace, self.looked, self.why = Trace(), False, ""
        self.operands: dict[int, Operand] = {}
        self.of_numpy: frozenset[int] = frozenset()

    def argument(self, value: Any, place: int) -> Tensor:
        """Return the stand-in for the argument at this position, a tensor or a number."""
        places, source = frozenset((place,)), operator.itemgetter(place)
        if isinstance(value, Tensor):
            symbol, layout = self.trace.operand(), layout_of_tensor(value)
            self.operands[symbol.number] = Operand(layout, source, place)
            return self.make(layout, symbol, places)
        if type(value) in (float, int):
            return self.number_stand_in(type(value) is int, places, source)
        self.of_numpy |= places
        return self.number_stand_in(isinstance(value, np.integer), places, lambda call: call[place].item())

    def number_stand_in(self, is_int: bool, places: frozenset[int], source: Source) -> Tensor:
        """Return the stand-in for a number that a call computes by `source`."""
        symbol = self.trace.operand(is_number=True)
        self.operands[symbol.number] = Operand(int if is_int else float, source, -1)
        return self.make(contiguous((), int64 if is_int else get_default_dtype()), symbol, places, source)

    def layout_of(self, symbol: int) -> Layout | type:
        """Return the layout of an operand, or the type of a number, by the number of its symbol."""
        return self.operands[symbol].layout

    def make(self, layout: Layout, symbol: Symbol, places: frozenset[int], source: Source | None = None) -> Tensor:
        """A stand-in."""
        new = new_instance(StandIn if source is None else NumberStandIn)
        new._layout, new._storage, new._offset, new.node = (
            SymbolLayout(self, layout, symbol, places, source),  # type: ignore[assignment]
            NO_STORAGE,
            0,
            None,
        )
        return new

    def refuse(self, operation: str) -> NoReturn:
        """Raise NotImplementedError because an operation is not elementwise."""
        raise named(
            NotElementwiseError(
                f"{operation}: not elementwise, so {self.name} cannot be fused with it; call it outside of the function"
            )
        )

    def runs_as_written(self, why: str) -> None:
        """See Note [Fused as written]."""
        self.why = self.why or why

    def call(self, op: Operator, operands: Operands, parameters: Parameters, record: bool) -> Tensor:
        """Record the call."""
        if op.name in ("to", "to_device", "clone"):
            return self._copied(op, operands[0], parameters)
        if not op.elementwise:
            self.refuse(op.name)
        for operand in operands:
            if isinstance(operand, Tensor) and not is_at(self, operand):
                raise NotElementwiseError(
                    f"{op.name}: the fused function {self.name} uses a tensor {tuple(operand.shape)} that is none of "
                    "its arguments; give it as one, or use a number"
                )
        given = [standing_in(operand) for operand in operands if isinstance(operand, Tensor)]
        if all([stand.source is not None for stand in given]):
            return self._of_numbers(op, operands, given)
        layouts = tuple(
            [standing_in(operand).shown if isinstance(operand, Tensor) else type(operand) for operand in operands]
        )
        if op.validate_layouts is not None:
            op.validate_layouts(*layouts)
        dtypes = {stand.shown.dtype for stand in given if stand.source is None}
        if not dtypes <= {self.dtype, bool_}:
            self.runs_as_written(f"{op.name} of {' and '.join(sorted([dtype.name for dtype in dtypes]))}")
        if self.dtype not in dtypes and op.name not in OF_BOOLS:
            self.runs_as_written(f"{op.name} of bools")
        if complex in layouts:
            self.runs_as_written(f"{op.name} with a complex number")
            return self.make(given[0].shown.to_dtype(get_default_dtype().to_complex()), given[0].symbol, frozenset())
        symbols = [standing_in(operand).symbol if isinstance(operand, Tensor) else operand for operand in operands]
        symbol = record_symbolic_call(op, *symbols)
        numbers = [not isinstance(operand, Tensor) or standing_in(operand).source is not None for operand in operands]
        if op.name == "div" and numbers == [True, False]:  # as `2 / x` does
            symbol = symbol_ops.mul(symbol_ops.reciprocal(symbols[1]), symbols[0])
        (layout,) = output_layouts(op, layouts, parameters)
        if op.name == "where" and type(layouts[1]) is type(layouts[2]) is type:
            layout = layout.to_dtype(scalar_dtype(layouts[2]))
        if layout.dtype not in (self.dtype, bool_):
            self.runs_as_written(f"{op.name} that gives {layout.dtype.name}")
        if op.recorded and not record and layout.dtype is not bool_:  # forward mode has tangents, not gradients
            self.runs_as_written(f"{op.name} in no_grad()")
        return self.make(layout, symbol, frozenset().union(*[stand.places for stand in given]))

    def _of_numbers(self, op: Operator, operands: Operands, given: list[SymbolLayout]) -> Tensor:
        """Return a number that Python computes from numbers."""
        places = frozenset().union(*[stand.places for stand in given])
        function = OF_NUMBERS.get(op.name)
        ints = [
            (self.layout_of(standing_in(operand).symbol.number) if isinstance(operand, Tensor) else type(operand))
            is int
            for operand in operands
        ]
        if function is None or places & self.of_numpy or (op.name == "pow" and ints != [False, True]):
            # the type of pow depends on the values; NumPy computes in the dtypes of its scalars
            raise NumberUsedError(places)
        sources = [source_of(operand) for operand in operands]

        def source(call: tuple[Any, ...]) -> Any:
            return function(*[read(call) for read in sources])

        return self.number_stand_in(all(ints) and op.name != "div", places, source)

    def _copied(self, op: Operator, input: Tensor, parameters: Parameters) -> Tensor:
        """Return the same elements, possibly in another dtype."""
        now = standing_in(input)
        dtype = parameters[0] if op.name == "to" else now.shown.dtype
        symbol = now.symbol
        if op.name == "to_device":
            self.runs_as_written("a conversion to another device")
        elif now.source is None and dtype is not now.shown.dtype:
            if now.shown.dtype is bool_ and dtype is self.dtype:
                symbol = symbol_ops.where(symbol, 1.0, 0.0)
            elif now.shown.dtype is self.dtype and dtype is bool_:
                symbol = symbol_ops.ne(symbol, 0)
            else:
                self.runs_as_written(f"a conversion from {now.shown.dtype.name} to {dtype.name}")
        return self.make(now.shown.to_dtype(dtype), symbol, now.places, now.source)

    def view(self, call: Callable[..., Any], rules: Any, input: Any, parameters: tuple[object, ...]) -> NoReturn:
        """Raise, because views are not elementwise."""
        self.refuse(call.__name__ if call.__name__ in operators else "view")

    def copy(self, operation: str, target: Any, source: Any) -> NoReturn:
        """Raise, because a fused function cannot change tensors in place."""
        raise NotElementwiseError(
            f"{operation}: changes a tensor in place, in the fused function {self.name}; use the operator that gives a "
            "new one"
        )

    def apply_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        """Raise, because a user's Function is not elementwise."""
        self.refuse(getattr(function, "__name__", "a Function"))


def source_of(number: Any) -> Source:
    """Return how a call computes a number: the source of a stand-in, or a constant."""
    source = standing_in(number).source if isinstance(number, Tensor) else None
    return (lambda call: number) if source is None else source


def _detached() -> Operator:
    class detached:
        """Return the elements of `input` without derivatives."""

        inplace = False

        def value(F: Any, input: Any) -> Any:  # type: ignore[misc]
            return input

        def vjp_input(F: Any, g: Any) -> Any:  # type: ignore[misc]
            return F.zeros_like(g)

    op = Operator(detached, is_elementwise=True)
    op.public = make_calls(op)
    return op


DETACHED = _detached()
