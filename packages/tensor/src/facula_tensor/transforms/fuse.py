"""`fuse`: turn a user's function of elementwise operators into one operator.

The function is called with tensors of a level whose contents are symbols (`fuse_level.py`). The recorded trace
becomes the expression of an operator, from which its gradients derive (see `_dispatch/expressions`). The trace
does not contain lengths, so it serves all shapes unless the function reads a shape.
"""

from __future__ import annotations

import sys
from functools import update_wrapper
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_autograd.extend.modes import active_modes, current_mode, replace_mode
from facula_errors import FaculaError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, bool_
from facula_storage.extend.layouts import FLOATING

from .._core.promotion import get_default_dtype
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.declaration import make_calls
from .._dispatch.expressions.gradients import Expression
from .._dispatch.expressions.partials import replay
from .._dispatch.expressions.symbols import Trace, symbol_ops
from .._dispatch.namespaces import operators
from .._dispatch.operator import Operator
from .._dispatch.slow_path.planning import make_plan, output_layouts
from .fuse_level import DETACHED, FuseLevel, NumberUsedError, SymbolLayout, standing_in
from .levels import is_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from .fuse_level import Source

MOST_FORMS = 256  # of a function; further calls run eagerly
CONSTANTS = (bool, str, complex, type(None))  # argument types for which each value has a form

# The equivalent of a binary operator with its operands swapped.
TURNED = {"add": "add", "mul": "mul", "eq": "eq", "ne": "ne", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


class Form(NamedTuple):
    """The form of calls with one signature: an operator, and how to compute its operands from the arguments.

    Without an operator, the function runs eagerly, and `why` is the reason.
    """

    operator: Operator | None
    sources: tuple[Source, ...]
    why: str = ""


class Finer(NamedTuple):
    """A marker for signatures whose form also depends on the values at some positions, and possibly on shapes."""

    places: frozenset[int]
    shapes: bool

    def key(self, kinds: tuple[object, ...], given: tuple[Any, ...]) -> tuple[object, ...]:
        """Return the key that distinguishes these calls."""
        values = tuple([repr(given[place]) for place in sorted(self.places)])
        shapes = [tuple(tensor.shape) for tensor in given if isinstance(tensor, Tensor)] if self.shapes else None
        return (kinds, values, shapes and tuple(shapes))


class Fused:
    """A function fused into one operator: the result of `fuse`. `forms` contains the forms made so far."""

    def __init__(self, function: Callable[..., Tensor]):
        self.function = function
        self.name = getattr(function, "__name__", "function").strip("<>_")
        self.forms: dict[tuple[object, ...], Form | Finer] = {}
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        try:
            given = (*args, *kwargs.values()) if kwargs else args
            kinds: list[object] = [get_default_dtype()]
            for value in given:
                if isinstance(value, Tensor):
                    layout = value._layout
                    if type(layout) is SymbolLayout:  # inside another fused function, which records these steps
                        return self.function(*args, **kwargs)
                    if type(layout) is not Layout:
                        layout = layout_of_tensor(value)
                    kinds.append(layout.dtype if layout.shape else (layout.dtype,))
                else:
                    kinds.append(type(value) if type(value) is float or type(value) is int else self._kind_of(value))
            if kwargs:
                kinds += kwargs
            if active_modes and current_mode().autocast is not None:
                kinds.append(True)
            key: tuple[object, ...] = tuple(kinds)
            form = self.forms.get(key)
            if type(form) is Finer:
                form = self.forms.get(form.key(key, given))
            if form is None:
                form = self._make(key, args, kwargs)
            if form.operator is None:  # type: ignore[union-attr]
                return self.function(*args, **kwargs)
            result: Tensor = form.operator.library_call(*[source(given) for source in form.sources])  # type: ignore[union-attr]
            return result
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _kind_of(self, argument: Any) -> object:
        """Return the part of the signature for an argument that is neither a tensor nor a Python number."""
        if type(argument) in CONSTANTS:
            return (type(argument), repr(argument))
        if isinstance(argument, (np.floating, np.integer)):
            return type(argument)
        raise InvalidTypeError(
            f"{self.name}: expected tensors, numbers, bools, strings and None; got {type(argument).__name__}; make a "
            "tensor of it, or let the function have it from outside"
        )

    def _make(self, kinds: tuple[object, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Form:
        """Return the form for calls with this signature."""
        self._check(args, kwargs)
        given = (*args, *kwargs.values())
        if len(self.forms) >= MOST_FORMS:
            return Form(None, (), f"there are {MOST_FORMS} forms")
        known = self.forms.get(kinds)
        numbers = frozenset([place for place, argument in enumerate(given) if _is_number(argument)])
        used = known.places if isinstance(known, Finer) else frozenset()
        while True:
            try:
                level, result = self._trace(given, used, list(kwargs))
                break
            except NumberUsedError as error:
                used |= error.places
            except Exception:
                if used >= numbers:
                    raise
                used |= numbers  # the function may use an attribute that a stand-in does not have
        if not (numbers <= used or level.why):
            with_numbers = self._trace(given, used | numbers, list(kwargs))
            if program_with(given, *with_numbers) != program_with(given, level, result):
                used, (level, result) = used | numbers, with_numbers
        form = self._form(level, result)
        if used or level.looked or isinstance(known, Finer):
            finer = Finer(used, level.looked or (isinstance(known, Finer) and known.shapes))
            self.forms[kinds] = finer
            kinds = finer.key(kinds, given)
        self.forms[kinds] = form
        return form

    def _check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise TypeError for missing or excess arguments."""
        try:
            form = signature(self.function)
        except ValueError:  # a function written in C
            return
        try:
            form.bind(*args, **kwargs)
        except TypeError as error:
            raise InvalidTypeError(f"{self.name}: {error}; its arguments are {form}") from None
        if not any([isinstance(arg, Tensor) for arg in (*args, *kwargs.values())]):
            raise InvalidTypeError(f"{self.name}: expected a tensor among the arguments; got none")

    def _trace(self, given: tuple[Any, ...], used: frozenset[int], names: list[str]) -> tuple[FuseLevel, Any]:
        """Call the function with stand-ins for its arguments.

        Arguments:
            given: the arguments.
            used: the positions of the arguments to pass unchanged.
            names: the names of the last ones, which are passed by keyword.
        """
        dtypes = [layout_of_tensor(value).dtype for value in given if isinstance(value, Tensor)]
        level = FuseLevel(
            self.name, next((dtype for dtype in dtypes if dtype.category == FLOATING), get_default_dtype())
        )
        stand_ins: list[Any] = []
        for place, argument in enumerate(given):
            as_it_is = place in used or type(argument) in CONSTANTS
            stand_ins.append(argument if as_it_is else level.argument(argument, place))
        count = len(given) - len(names)
        try:
            with replace_mode(grad=True):
                result = self.function(*stand_ins[:count], **dict(zip(names, stand_ins[count:], strict=True)))
            if not is_at(level, result) or standing_in(result).source is not None:
                raise InvalidTypeError(
                    f"{self.name}: expected the fused function to return one tensor that it computes of its "
                    f"arguments; got {type(result).__name__}"
                )
        finally:
            level.open = False
        return level, result

    def _form(self, level: FuseLevel, result: Tensor) -> Form:
        """Return the operator for the trace, or None if it cannot be one operator."""
        found = standing_in(result)
        if level.why or found.shown.dtype not in (level.dtype, bool_):
            return Form(None, (), level.why or f"a result in {found.shown.dtype.name}")
        op, symbols = operator_of(self, level, found)
        layouts = tuple(map(level.layout_of, symbols))
        if level.dtype not in [getattr(layout, "dtype", None) for layout in (found.shown, *layouts)]:
            return Form(None, (), "bools alone")  # the program would compute in bools
        try:
            make_plan(op, layouts, output_layouts(op, layouts, ()), ())
        except UnsupportedError as error:  # too many operands, or an operator without a loop for the dtype
            return Form(None, (), str(error))
        return Form(op, tuple([level.operands[symbol].source for symbol in symbols]))

    def __reduce__(self) -> Any:
        module, name = sys.modules.get(self.function.__module__), self.function.__name__
        return name if getattr(module, name, None) is self else (fuse, (self.function,))

    def __repr__(self) -> str:
        return f"<fused {self.name}{signature(self.function)}>"


def _is_number(argument: object) -> bool:
    return not isinstance(argument, Tensor) and type(argument) not in CONSTANTS


def program_with(given: tuple[Any, ...], level: FuseLevel, result: Tensor) -> object:
    """Return the trace with a call's numbers in place of their stand-ins; equal programs compare equal."""
    found, trace = standing_in(result), Trace()
    operands = {
        number: trace.operand() if isinstance(operand.layout, Layout) else operand.source(given)
        for number, operand in level.operands.items()
    }
    tensors = sum([isinstance(operand.layout, Layout) for operand in level.operands.values()])
    program = trace.program("", tensors, (replay(symbol_ops, level.trace, found.symbol, operands),))
    steps = []
    for name, values in program.instructions:  # Python tries the second operand first if it is a stand-in
        turned = name in TURNED and values[0] > values[1]
        steps.append((TURNED[name], values[::-1]) if turned else (name, values))
    return level.why, found.shown.dtype, program.constants, steps, program.results


def operator_of(fused: Fused, level: FuseLevel, result: SymbolLayout) -> tuple[Operator, list[int]]:
    """Return the operator with a trace as its expression, and the symbol numbers of its operands.

    Bools come first because they do not take part in promotion.
    """
    needed = level.trace.needed((result.symbol,))
    symbols = [
        number
        for number, operand in level.operands.items()
        if (operand.place in result.places if isinstance(operand.layout, Layout) else number in needed)
    ]
    symbols.sort(key=lambda number: getattr(level.operands[number].layout, "dtype", None) is not bool_)
    dtypes = [layout.dtype for layout in map(level.layout_of, symbols) if isinstance(layout, Layout)]
    bools, dtype = dtypes.count(bool_), result.shown.dtype

    def value(F: Any, *operands: Any) -> Any:
        return replay(F, level.trace, result.symbol, dict(zip(symbols, operands, strict=True)))

    names = tuple([f"operand{i}" for i in range(len(symbols))])
    body = {
        "inputs": names,
        "value": value,
        "mask_operands": bools if bools < len(symbols) else 0,
        "result_dtype": lambda _: dtype,
        "no_gradient": names[:bools],
        "inplace": False,
        "__doc__": fused.__doc__ or "",
        "__module__": fused.function.__module__,
    }
    name = f"fused_{fused.name}" if fused.name in operators else fused.name  # rules look operators up by name
    op = Operator(type(name, (), body), is_elementwise=True)
    op.expression = Expression(value, len(symbols), name)
    op.recorded = op.recorded and wants_gradient(level, result)
    op.public = make_calls(op)
    op.public.__name__ = name
    return op, symbols


def wants_gradient(level: FuseLevel, result: SymbolLayout) -> bool:
    """Return whether the result requires a gradient if the arguments do, through operators that have rules."""
    entries = level.trace.entries
    wanting = {number for number, operand in level.operands.items() if isinstance(operand.layout, Layout)}
    for number in level.trace.needed((result.symbol,)):
        op, arguments = entries[number]
        if op is not None and op.recorded and op is not DETACHED:
            if any([getattr(argument, "number", None) in wanting for argument in arguments]):
                wanting.add(number)
    return result.symbol.number in wanting


@boundary
def fuse(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Fuse a function of elementwise operators into one operator: one launch forward and one backward.

    The result has the dtype, the shape and the values that the function returns. The function is traced once
    for each combination of dtypes (twice if there are numbers among its arguments), and again if it reads a
    shape or, in a branch or a function of `math`, a number. It may use elementwise operators (functions,
    methods or Python's operators), numbers, and `where` to select. Values from outside the function, such as a
    number or a mode (`is_grad_enabled()`), keep their values of the first call. Arguments are assumed to be
    different tensors.

    A program computes in one floating dtype and in bools. A function runs eagerly if it needs another dtype
    (its tensors are integers or have several dtypes, or it converts), takes more than 15 tensors or is very
    long. In float16 and bfloat16 a program computes in float32 and rounds once.

    Arguments:
        function: a function of tensors, numbers, bools, strings and None that returns one tensor.

    Returns:
        A callable with the arguments of `function`. It can be differentiated to any order.

    Raises:
        NotImplementedError: at its first call, if `function` contains an operation that is not elementwise: a
        reduction, a view, a branch on a value, a change in place, or a tensor that is not one of its arguments.

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
