"""Split functions: functions that cannot be captured as a whole, divided into captured parts."""

from __future__ import annotations

import ast
from inspect import CO_COROUTINE, CO_GENERATOR
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from facula_errors.extend import is_library_module
from facula_tensor import Tensor

from .._guards.frames import is_support
from .._source.function_ast import SourceError, tree_of
from .._source.split import split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_CALLEES = 64
never_captured: WeakSet[Any] = WeakSet()
"""Functions that run eagerly between the parts of a split function."""


def own_function(function: Any) -> FunctionType | None:
    """Return the Python function that a callable runs: itself, its method's, or its module's `forward`; None if there
    is none.
    """
    if isinstance(function, MethodType):
        function = function.__func__
    elif hasattr(type(function), "named_modules"):
        function = None if "forward" in vars(function) else getattr(type(function), "forward", None)
    is_plain = isinstance(function, FunctionType) and not function.__code__.co_flags & (CO_GENERATOR | CO_COROUTINE)
    return function if is_plain else None


def plain_parts_by_name(function: Any, key: Any, count: int) -> dict[str, Any]:
    """Return the non-tensor parts of a signature's key by argument name; `count` is that of positional arguments."""
    own = own_function(function)
    if own is None:
        return {}
    named = [*zip(own.__code__.co_varnames[own is not function :], key[0][:count], strict=False), *key[0][count:]]
    return {name: part for name, part in named if not (type(part) is tuple and part[:1] == (Tensor,))}


class SplitFunction:
    """The splits of one function, cached by line.

    Arguments:
        function: the function to split.
        capture: returns a captured function for each part.
    """

    def __init__(self, function: Any, capture: Callable[[Any], Any]):
        self.function, self._capture = function, capture
        self.own = own_function(function)
        self.refusal = "" if self.own is not None else "its source is not that of a function"
        self._cuts: dict[int | None, tuple[Any, list[Any]]] = {}
        self._callees: dict[tuple[int, int], tuple[Any, Any]] = {}

    def around(self, line: int | None) -> Any:
        """Return the function split around a line, or in the middle for None; None if it cannot be split."""
        if line not in self._cuts:
            made: list[Any] = []
            whole = None

            def piece(function: FunctionType) -> Any:
                made.append(self._capture(function))
                return made[-1]

            if self.own is not None:
                try:
                    whole = split(self.own, line, piece, self._callee)
                except SourceError as error:
                    self.refusal = str(error)
            self._cuts[line] = None if whole is None else self._called(whole), made
        return self._cuts[line][0]

    def around_names(self, names: Iterable[str]) -> Any:
        """Return the function split around the first line that reads one of these variables or attributes, or None."""
        wanted = set(names)
        try:
            tree = None if self.own is None else tree_of(self.own)
        except SourceError:
            return None
        parts = [] if tree is None else [part for statement in tree.body for part in ast.walk(statement)]
        for expression in [part for part in parts if isinstance(part, ast.expr)]:
            name = (
                expression.id
                if isinstance(expression, ast.Name)
                else expression.attr
                if isinstance(expression, ast.Attribute)
                else ""
            )
            if name in wanted:
                return self.around(expression.lineno)
        return None

    def captured(self) -> list[Any]:
        """Return all captured functions: the parts, and the callees of the lines between them."""
        return [function for _, made in self._cuts.values() for function in made] + [
            function for _, function in self._callees.values()
        ]

    def _called(self, whole: FunctionType) -> Any:
        """Return a callable for the split function with the call signature of the original one."""
        if isinstance(self.function, MethodType):
            return MethodType(whole, self.function.__self__)
        if self.function is self.own:
            return whole
        module, own, forward = self.function, vars(self.function), MethodType(whole, self.function)

        def call(*args: Any, **kwargs: Any) -> Any:
            outer = own.get("forward")  # set by an enclosing call
            own["forward"] = forward
            try:
                return module(*args, **kwargs)
            finally:
                if outer is None:
                    del own["forward"]

        return call

    def _callee(self, callee: Any) -> Any:
        """Return the callable for a call between parts: captured if it is a module or a function of the program."""
        function = own_function(callee)
        is_module = hasattr(type(callee), "named_modules")
        if function is None or function in never_captured:
            return callee
        if not is_module and (is_library_module(function.__module__) or is_support(function.__module__ or "")):
            return callee
        key = id(function), id(callee if is_module else getattr(callee, "__self__", None))
        if key not in self._callees:
            if len(self._callees) >= MAX_CALLEES:
                self._callees.clear()
            self._callees[key] = callee, self._capture(callee)
        return self._callees[key][1]
