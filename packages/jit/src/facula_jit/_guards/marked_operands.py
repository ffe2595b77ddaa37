"""Marked sizes that C functions and containers read without calling methods of the number.

Note [Marked operands]
~~~~~~~~~~~~~~~~~~~~~~
`range(n)`, `math.log(n)` and `entries[n]` read the digits of an integer directly, even of a subclass, and no event
reports their operands. The observer of instructions sees the start of such a call. Its operands are found in the
source. If they consist only of numbers in variables, sizes and arithmetic (`n // 2`, `x.shape[0]`, `x.size(0) - 1`),
they are computed a second time, which has no effects, and marked ones are noted. Other operands, as in
`range(count(x))`, are not computed. `map`, `reduce`, `sorted` and similar functions call one of their operands. If that
operand reads numbers (`math.gcd`, `int.__mod__`), the other operands are treated as its operands, and an unknown one
may contain any size.
"""

from __future__ import annotations

import ast
import dis
import itertools
import math
import operator
from array import array
from collections import ChainMap, deque
from functools import lru_cache, partial, reduce
from linecache import getlines
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._recording.marked_sizes import Marked, marked, plain
from .constant_values import is_numpy

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from .._recording.marked_sizes import Decisions

    Variables = ChainMap[str, Any]
    Range = tuple[int | None, int | None, int | None, int | None]

MODULES = ("math", "cmath", "itertools", "_struct")
BUILTINS = (range, chr, bin, hex, oct, bytes, bytearray, slice, enumerate, operator.itemgetter)
INDEXING = frozenset("index getitem setitem delitem length_hint".split())  # in `operator`
NUMERIC = (int, float, complex)
CONTAINERS = (list, tuple, str, bytes, bytearray, range, deque, array, np.ndarray)
METHODS = frozenset(  # of containers
    "__getitem__ __setitem__ __delitem__ __mul__ __rmul__ __imul__ pop insert rotate ljust rjust center zfill "
    "expandtabs".split()
)
STORING = ("insert", "__setitem__")  # methods of which only the first operand is read as a number
CALLING = (map, filter, reduce, sorted, min, max, partial, itertools.starmap, itertools.accumulate)
ITERATING = (
    enumerate,
    *[kind for kind in vars(itertools).values() if type(kind) is type],
)  # they iterate over operands
FUNCTIONS = (MethodDescriptorType, WrapperDescriptorType, BuiltinFunctionType, MethodWrapperType, FunctionType, type)
UNKNOWN = object()
INSTRUCTIONS = ("CALL", "BINARY_S", "STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_OP")
ARITHMETIC = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Load, ast.Tuple, ast.List)
NUMBERS = (int, float, str, tuple, list, type(None))
SIZES = ("size", "numel")  # methods that read sizes
MAX_TABLES = 1024
OPERATORS: dict[type, Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
}  # fmt: skip


class Operand(NamedTuple):
    """The expression of an operand.

    `numbers` are the variables in it that must be numbers or sequences of numbers; None unless it consists only of
    variables, sizes and arithmetic. `path` is the variable and the attributes that it names, possibly in a `partial`.
    """

    node: ast.expr
    numbers: list[str] | None
    path: list[str]


class Site(NamedTuple):
    """A call, an index or a text formatted with `%`: the object that is called, indexed or formatted, and the
    operands.
    """

    owner: list[str] | str  # a variable and attributes; a text, or the name of a method of another expression
    operands: list[Operand]
    is_call: bool


def is_plain(node: ast.AST) -> bool:
    """Return True for an expression that consists only of variables, sizes and arithmetic."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape" and is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return is_plain(node.value) and is_plain(node.slice)
    if isinstance(node, ast.Call):
        method = node.func
        reads = isinstance(method, ast.Attribute) and method.attr in SIZES and is_plain(method.value)
        return reads and not node.keywords and all([is_plain(arg) for arg in node.args])
    return isinstance(node, ARITHMETIC) and all([is_plain(child) for child in ast.iter_child_nodes(node)])


def path_of(node: ast.expr) -> list[str]:
    """Return the variable and the attributes that an expression names; an empty list for other expressions."""
    if isinstance(node, ast.Name):
        return [node.id]
    before = path_of(node.value) if isinstance(node, ast.Attribute) else []
    return [*before, node.attr] if before and isinstance(node, ast.Attribute) else []


@lru_cache(MAX_TABLES)
def _sites_in(filename: str, text: str) -> dict[Range, Site]:
    """Return the calls and indices in a file by their source position."""
    found: dict[Range, Site] = {}
    for node in ast.walk(ast.parse(text)):
        given: list[ast.expr | None]
        owner: list[str] | str
        if isinstance(node, ast.Call):
            owner, given = path_of(node.func), [*node.args, *[keyword.value for keyword in node.keywords]]
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            owner = owner or (name if name in METHODS else "")
            given = given[:1] if name in STORING else given
        elif isinstance(node, ast.Subscript):
            index = node.slice
            owner, given = path_of(node.value), [index.lower, index.upper] if isinstance(index, ast.Slice) else [index]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            is_text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            owner, given = node.left.value if is_text else path_of(node.left), [node.right]  # type: ignore[attr-defined]
        else:
            continue
        operands = [
            argument.value if isinstance(argument, ast.Starred) else argument
            for argument in given
            if argument is not None
        ]
        if owner and not all([isinstance(operand, (ast.Constant, ast.Lambda)) for operand in operands]):
            place = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
            found[place] = Site(owner, [*map(_operand, operands)], isinstance(node, ast.Call))
    return found


def _operand(node: ast.expr) -> Operand:
    named = node
    while isinstance(named, ast.Call) and named.args and path_of(named.func)[-1:] == ["partial"]:
        named = named.args[0]
    if not is_plain(node):
        return Operand(node, None, path_of(named))
    numbers, todo = [], [node]
    while todo:
        pending = todo.pop()
        if isinstance(pending, ast.Name):
            numbers.append(pending.id)
        elif not isinstance(pending, (ast.Attribute, ast.Call)):  # attributes and calls are those of tensors
            todo += [child for child in ast.iter_child_nodes(pending) if isinstance(child, ast.expr)]
    return Operand(node, numbers, path_of(node))


def _sites_of(code: CodeType) -> dict[int, Site]:
    """Return the calls and indices in a code object, by the offset of the instruction."""
    try:
        sites = _sites_in(code.co_filename, "".join(getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return {}
    found = {}
    for instruction in dis.get_instructions(code):
        if instruction.positions is not None and instruction.opname.startswith(INSTRUCTIONS):
            place = instruction.positions
            site = sites.get((place.lineno, place.end_lineno, place.col_offset, place.end_col_offset))
            if site is not None:
                found[instruction.offset] = site
    return found


class MarkedOperands:
    """An observer of instructions that notes the marked operands of calls.

    Arguments:
        decisions: the decisions that the run bases on sizes.
    """

    def __init__(self, decisions: Decisions):
        self.decisions = decisions
        self._sites: dict[int, tuple[CodeType, dict[int, Site]]] = {}

    def executed(self, frame: FrameType, offset: int) -> None:
        """Note the marked operands of an instruction that is about to run."""
        code = frame.f_code
        if id(code) not in self._sites:
            self._sites[id(code)] = code, _sites_of(code)
        site = self._sites[id(code)][1].get(offset)
        if site is None:
            return
        variables = ChainMap(frame.f_locals, frame.f_globals, frame.f_builtins)
        try:
            owner = site.owner if isinstance(site.owner, str) else _follow(variables, site.owner)
            is_container = issubclass(type(owner), CONTAINERS)  # a container, or a method of one
            takes = takes_numbers(owner) if site.is_call and not is_container else is_container
            if not takes and not (site.is_call and calls_functions(owner)):
                return
            values = [self._operand(operand, variables) for operand in site.operands]
        except Exception:  # the call itself raises it, too
            return
        if takes and not any([owner is known for known in ITERATING]):
            values = [part for value in values for part in (value if type(value) in (tuple, list) else (value,))]
        elif any(map(takes_numbers, values)):  # it is called with parts of the other operands
            values = parts_of([*values, getattr(owner, "__self__", None)])
        elif not takes:
            return
        for value in values:
            if isinstance(value, Marked):
                self.decisions.note(value.origins, frame)
            elif value is UNKNOWN and not takes:
                self.decisions.note(tuple(sorted(self.decisions.read_sizes)), frame)

    def _operand(self, operand: Operand, variables: Variables) -> Any:
        """Return the value of an operand, or UNKNOWN."""
        try:
            if isinstance(operand.node, ast.Lambda):
                return None
            if operand.numbers is not None and all(
                [isinstance(variables[number], NUMBERS) for number in operand.numbers]
            ):
                return self._value(operand.node, variables)
            return _follow(variables, operand.path) if operand.path else UNKNOWN
        except (AttributeError, KeyError):
            return UNKNOWN

    def _value(self, node: ast.expr, variables: Variables) -> Any:
        """Return the value of an operand; the sizes of tensors in it are marked."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return variables[node.id]
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple([self._value(element, variables) for element in node.elts])
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](self._value(node.left, variables), self._value(node.right, variables))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](self._value(node.operand, variables))
        if isinstance(node, ast.Subscript):
            return self._value(node.value, variables)[self._value(node.slice, variables)]
        if isinstance(node, ast.Attribute):
            return self._marked(tuple(self._value(node.value, variables).shape))
        method: Any = node.func  # type: ignore[attr-defined]  # a call of one of SIZES
        arguments = [self._value(arg, variables) for arg in node.args]  # type: ignore[attr-defined]
        return self._marked(getattr(self._value(method.value, variables), method.attr)(*map(plain, arguments)))

    def _marked(self, sizes: Any) -> Any:
        if isinstance(sizes, tuple):
            return tuple([self._marked(size) for size in sizes])
        self.decisions.read_sizes.add(sizes)
        return marked(sizes, self.decisions, (sizes,))


def takes_numbers(function: Any) -> bool:
    """Return True if a function reads numbers without calling their methods."""
    while type(function) is partial:
        function = function.func
    kind = type(function)
    # attributes of other objects may run code of the program
    if kind not in FUNCTIONS and not is_numpy(kind.__module__):
        return False
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None)
    owner = None
    if kind in FUNCTIONS[:2]:
        owner = function.__objclass__
    elif kind in FUNCTIONS[2:4]:
        owner = type(function.__self__)
    if owner is not None and issubclass(owner, (*NUMERIC, *CONTAINERS)):
        return name in METHODS or issubclass(owner, (*NUMERIC, np.ndarray))
    is_listed = any([function is known for known in BUILTINS]) or (module == "_operator" and name in INDEXING)
    return is_listed or (module in MODULES and function is not math.prod) or (is_numpy(module) and callable(function))


def calls_functions(function: Any) -> bool:
    """Return True if a C function calls one of its operands."""
    is_sort = type(function) is BuiltinFunctionType and function.__name__ == "sort" and type(function.__self__) is list
    return is_sort or any([function is known for known in CALLING])


def parts_of(values: list[Any]) -> list[Any]:
    """Return the values in lists, tuples, sets and dicts; UNKNOWN for an iterator."""
    found, todo, visited = [], [*values], set()
    for node in todo:  # the loop appends to it
        if type(node) in (list, tuple, set, frozenset, dict):
            if id(node) not in visited:
                visited.add(id(node))
                todo += [*node, *node.values()] if type(node) is dict else node
        else:
            found.append(UNKNOWN if hasattr(type(node), "__next__") else node)
    return found


def _follow(variables: Variables, path: list[str]) -> Any:
    """Return a variable, or an attribute of a module or object that is read without running code; otherwise raise
    KeyError.
    """
    value = variables[path[0]]
    for name in path[1:]:
        if type(value) in (*NUMERIC, *CONTAINERS):
            value = getattr(value, name)
        elif isinstance(value, ModuleType):
            value = vars(value)[name]
        else:
            value = object.__getattribute__(value, "__dict__")[name]
    return value
