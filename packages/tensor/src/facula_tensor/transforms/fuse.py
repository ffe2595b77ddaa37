"""`fuse`: a user's function of elementwise operators as one operator.

The function is called with tensors of a level whose contents are symbols: what it does to them is taken down, and
becomes the expression of an operator with its gradients (see `_dispatch/expressions`). Lengths are no part of that, so
one call serves all, unless the function looks at a shape.
"""

from __future__ import annotations

from functools import update_wrapper
from inspect import signature
from sys import _getframe
from typing import TYPE_CHECKING, Any, NoReturn

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import bool_, contiguous
from facula_storage.extend import COMPLEX, FLOATING, new_instance

from .._core.promotion import floating, scalar_dtype
from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import NO_STORAGE, Level, LevelLayout
from .._dispatch.declaration import make_calls
from .._dispatch.expressions.gradients import Expression
from .._dispatch.expressions.partials import replay
from .._dispatch.expressions.symbols import NotElementwiseError, Symbol, Trace, take_down
from .._dispatch.namespaces import operators
from .._dispatch.operator import Operator
from .._dispatch.planning import output_layouts
from .levels import is_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout

    from .._core.types import Operands, Parameters

MOST_SHAPES = 256  # for which a function that looks at shapes is remembered


class SymbolLayout(LevelLayout):
    """The layout slot of a symbol: the layout of what it stands for."""

    __slots__ = ("shown", "symbol")
    level: FuseLevel

    def __init__(self, level: FuseLevel, shown: Layout, symbol: Symbol):
        self.level, self.shown, self.symbol = level, shown, symbol

    @property
    def real(self) -> Layout:  # type: ignore[override]
        """The layout. What a user's line asks of it may depend on lengths."""
        frame = _getframe(3)  # who asked the tensor's property, or an operator of ours
        if not frame.f_globals.get("__name__", "").startswith("facula_"):
            self.level.looked = True
        return self.shown

    def constant(self) -> NoReturn:
        self.level.refuse("detach")

    def readable(self, operation: str) -> NoReturn:
        raise NotElementwiseError(
            f"{operation}: reads a value in the fused function {self.level.name}, called once for all elements; "
            "use where(condition, a, b) for a choice between elements"
        )


def symbol_layout(tensor: Tensor) -> SymbolLayout:
    """The layout slot of a tensor that stands for a symbol."""
    layout: Any = tensor._layout
    assert type(layout) is SymbolLayout
    return layout


class FuseLevel(Level):
    """One call of a function with symbols."""

    __slots__ = ("looked", "name", "trace")

    def __init__(self, name: str) -> None:
        super().__init__()
        self.trace, self.looked, self.name = Trace(), False, name

    def make(self, layout: Layout, symbol: Symbol) -> Tensor:
        """A tensor that stands for a symbol."""
        new = new_instance(Tensor)
        new._layout, new._storage, new._offset, new.node = SymbolLayout(self, layout, symbol), NO_STORAGE, 0, None  # type: ignore[assignment]
        return new

    def refuse(self, operation: str) -> NoReturn:
        """Say that an operation computes no element by itself."""
        raise NotElementwiseError(
            f"{operation}: not elementwise, so {self.name} cannot be fused with it; call it outside of the function"
        )

    def call(self, op: Operator, operands: Operands, parameters: Parameters, record: bool) -> Tensor:
        """Take the call down."""
        if op.name == "to":  # programs compute in one dtype: that of the result
            return self._converted(operands[0], parameters)
        if not op.elementwise or parameters:
            self.refuse(op.name)
        symbols = []
        for one in operands:
            if isinstance(one, Tensor) and not is_at(self, one):
                raise NotElementwiseError(
                    f"{op.name}: the fused function {self.name} uses a tensor {tuple(one.shape)} that is none of its "
                    "arguments; give it as one"
                )
            symbols.append(symbol_layout(one).symbol if isinstance(one, Tensor) else one)
        layouts = tuple([symbol_layout(one).shown if isinstance(one, Tensor) else type(one) for one in operands])
        (layout,) = output_layouts(op, layouts, parameters)
        return self.make(layout, take_down(op, *symbols))

    def _converted(self, input: Any, parameters: Parameters) -> Tensor:
        layout = input._layout.shown
        dtype = parameters[0] if parameters else None
        if getattr(dtype, "category", None) != FLOATING or layout.dtype is bool_:
            self.refuse(f"a conversion from {layout.dtype.name}")
        return self.make(layout.to_dtype(dtype), input._layout.symbol)

    def view(self, call: Callable[..., Any], rules: Any, input: Any, parameters: tuple[object, ...]) -> NoReturn:
        """Views are not elementwise."""
        self.refuse("a view")

    def copy(self, operation: str, target: Any, source: Any) -> NoReturn:
        """Nothing is changed in place."""
        raise NotElementwiseError(
            f"{operation}: changes a tensor in place, in the fused function {self.name}; use the operator that gives a "
            "new one"
        )

    def apply_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> NoReturn:
        """A Function of the user's is not elementwise."""
        self.refuse(getattr(function, "__name__", "a Function"))


class Fused:
    """A function as one operator: what `fuse` gives. `operators` are those made so far."""

    def __init__(self, function: Callable[..., Tensor]):
        self.function = function
        self.name = getattr(function, "__name__", "function").strip("<>_")
        self.operators: dict[tuple[object, ...], Operator] = {}
        update_wrapper(self, function)

    def __call__(self, *operands: Any) -> Tensor:
        try:
            kinds: list[object] = []
            for one in operands:
                if isinstance(one, Tensor):
                    kinds.append(one.dtype)
                elif type(one) in (float, int):
                    kinds.append(type(one))
                else:
                    raise InvalidTypeError(f"{self.name}: expected tensors, floats and ints; got {type(one).__name__}")
            key: tuple[object, ...] = tuple(kinds)
            op = self.operators.get(key) or self.operators.get((*key, *shapes_of(operands)))
            if op is None:
                op = self._make(key, operands)
            result: Tensor = op.library_call(*operands)
            return result
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _make(self, key: tuple[object, ...], operands: tuple[Any, ...]) -> Operator:
        """Call the function with symbols."""
        level = FuseLevel(self.name)
        if not any([isinstance(one, Tensor) for one in operands]):
            raise InvalidTypeError(f"{self.name}: expected a tensor among the arguments; got numbers alone")
        given = []
        for one in operands:
            symbol = level.trace.operand(is_number=not isinstance(one, Tensor))
            layout = layout_of_tensor(one) if isinstance(one, Tensor) else contiguous((), scalar_dtype(type(one)))
            if layout.dtype.category == COMPLEX:
                raise ArgumentError(f"{self.name}: fused functions are of real numbers; got {layout.dtype.name}")
            given.append(level.make(layout, symbol))
        try:
            result = self.function(*given)
            if not is_at(level, result):
                raise InvalidTypeError(
                    f"{self.name}: expected the fused function to return one tensor that it computes of its "
                    f"arguments; got {type(result).__name__}"
                )
        finally:
            level.open = False
        layout = symbol_layout(result).shown
        op = operator_of(self, level.trace, symbol_layout(result).symbol, len(operands), layout)
        if level.looked:
            if len(self.operators) >= MOST_SHAPES:
                self.operators.clear()
            key = (*key, *shapes_of(operands))
        return self.operators.setdefault(key, op)

    def __repr__(self) -> str:
        return f"<fused {self.name}{signature(self.function)}>"


def shapes_of(operands: tuple[Any, ...]) -> tuple[object, ...]:
    """The shapes of tensors, None of numbers."""
    return tuple([tuple(one.shape) if isinstance(one, Tensor) else None for one in operands])


def operator_of(fused: Fused, trace: Trace, result: Symbol, count: int, layout: Layout) -> Operator:
    """The operator whose expression a trace is."""

    def value(F: Any, *operands: Any) -> Any:
        return replay(F, trace, result, operands)

    names = tuple([f"operand{i}" for i in range(count)])
    body = {
        "inputs": names,
        "value": value,
        "compute_dtype": floating if layout.dtype.category == FLOATING else lambda dtype: dtype,
        "result_dtype": (lambda dtype: bool_) if layout.dtype is bool_ else lambda dtype: dtype,
        "no_gradient": () if layout.dtype.category == FLOATING else names,
        "inplace": False,
        "__doc__": fused.__doc__ or "",
        "__module__": fused.function.__module__,
    }
    name = f"fused_{fused.name}" if fused.name in operators else fused.name  # rules know operators by their names
    op = Operator(type(name, (), body), is_elementwise=True)
    op.expression = Expression(value, count)
    op.public = make_calls(op)
    op.public.__name__ = name
    return op


@boundary
def fuse(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """One operator from a function of elementwise operators: one launch forward and one backward.

    The function is called once for each combination of dtypes, with tensors that stand for its arguments, and again
    only where it looks at a shape. What it may use: elementwise operators, as functions, methods or Python's; numbers;
    `where` for a choice. Its arguments are tensors, which broadcast and promote, and Python's floats and ints. Between
    its operators numbers have the dtype of the result; float16 and bfloat16 are float32 in between, and rounded once.

    Arguments:
        function: of tensors, floats and ints; gives one tensor.

    Returns:
        A callable that takes what `function` takes. It can be differentiated, to any order.

    Raises:
        NotImplementedError: when it is first called, where `function` does what no elementwise operator does: a
            reduction, a view, a branch on a value, a change in place, a tensor that is none of its arguments.

    >>> from facula_tensor import sigmoid, tensor
    >>> @fuse
    ... def swish(x, slope):
    ...     return x * sigmoid(slope * x)
    >>> x = tensor([-1.0, 2.0], requires_grad=True)
    >>> swish(x, 1.0)
    tensor([-0.2689,  1.7616], grad_fn=<swish>)
    """
    if not callable(function):
        raise InvalidTypeError(f"fuse: expected a function; got {type(function).__name__}")
    return Fused(function)
