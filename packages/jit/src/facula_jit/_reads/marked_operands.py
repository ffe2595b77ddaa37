"""Marked sizes that C functions and containers take without calling the methods of a number.

Note [Marked operands]
~~~~~~~~~~~~~~~~~~~~~~
`range(n)`, `math.log(n)` and `entries[n]` read an integer's digits themselves, those of subclasses too, and no event
tells their operands. The observer of instructions sees where such a call begins. Its operands are found in the source.
Where they are made of numbers in variables, of sizes and arithmetic alone (`n // 2`, `x.shape[0]`, `x.size(0) - 1`),
they are computed a second time, which changes nothing, and marked ones among them are noted. Other operands, as of
`range(count(x))`, are not.
"""

from __future__ import annotations

import ast
import dis
import operator
from functools import lru_cache
from linecache import getlines
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from .._marked_sizes import Marked, marked, plain
from .known import is_numpy

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from .._marked_sizes import Decisions

    Range = tuple[int | None, int | None, int | None, int | None]

MODULES = ("math", "cmath", "itertools", "_operator", "_struct")
BUILTINS = (range, chr, bin, hex, oct, bytes, bytearray, slice)
CONTAINERS = (list, tuple, str, bytes, bytearray, range)
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
    """An expression, and the variables in it that have to be numbers, or sequences of numbers."""

    node: ast.expr
    numbers: list[str]


class Site(NamedTuple):
    """A call, or an index: what is called or indexed, as a variable and attributes, and the operands."""

    owner: list[str]
    operands: list[Operand]
    is_call: bool


def is_plain(node: ast.AST) -> bool:
    """Whether an expression is made of variables, sizes and arithmetic alone."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape" and is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return is_plain(node.value) and is_plain(node.slice)
    if isinstance(node, ast.Call):
        method = node.func
        reads = isinstance(method, ast.Attribute) and method.attr in SIZES and is_plain(method.value)
        return reads and not node.keywords and all([is_plain(one) for one in node.args])
    return isinstance(node, ARITHMETIC) and all([is_plain(one) for one in ast.iter_child_nodes(node)])


def path_of(node: ast.expr) -> list[str]:
    """The variable and the attributes that an expression names; an empty list for other expressions."""
    if isinstance(node, ast.Name):
        return [node.id]
    before = path_of(node.value) if isinstance(node, ast.Attribute) else []
    return [*before, node.attr] if before and isinstance(node, ast.Attribute) else []


@lru_cache(MAX_TABLES)
def _sites_in(filename: str, text: str) -> dict[Range, Site]:
    """The calls and indices of a file by their place."""
    found: dict[Range, Site] = {}
    for node in ast.walk(ast.parse(text)):
        given: list[ast.expr | None]
        if isinstance(node, ast.Call):
            owner, given = path_of(node.func), [*node.args, *[one.value for one in node.keywords]]
        elif isinstance(node, ast.Subscript):
            index = node.slice
            owner, given = path_of(node.value), [index.lower, index.upper] if isinstance(index, ast.Slice) else [index]
        else:
            continue
        operands = [one.value if isinstance(one, ast.Starred) else one for one in given if one is not None]
        made = [_operand(one) for one in operands if is_plain(one) and not isinstance(one, ast.Constant)]
        if owner and made:
            place = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
            found[place] = Site(owner, made, isinstance(node, ast.Call))
    return found


def _operand(node: ast.expr) -> Operand:
    numbers, todo = [], [node]
    while todo:
        one = todo.pop()
        if isinstance(one, ast.Name):
            numbers.append(one.id)
        elif not isinstance(one, (ast.Attribute, ast.Call)):  # those are of tensors
            todo += [child for child in ast.iter_child_nodes(one) if isinstance(child, ast.expr)]
    return Operand(node, numbers)


def _sites_of(code: CodeType) -> dict[int, Site]:
    """The same of a code object, by the offset of the instruction."""
    try:
        sites = _sites_in(code.co_filename, "".join(getlines(code.co_filename)))
    except (SyntaxError, ValueError):
        return {}
    found = {}
    for one in dis.get_instructions(code):
        if one.positions is not None and one.opname.startswith(("CALL", "BINARY_S", "BINARY_OP")):
            place = one.positions
            site = sites.get((place.lineno, place.end_lineno, place.col_offset, place.end_col_offset))
            if site is not None:
                found[one.offset] = site
    return found


class MarkedOperands:
    """An observer of instructions that notes the marked operands of calls.

    Arguments:
        decisions: what the run decided by sizes.
    """

    def __init__(self, decisions: Decisions):
        self.decisions = decisions
        self._sites: dict[int, tuple[CodeType, dict[int, Site]]] = {}

    def executed(self, frame: FrameType, offset: int) -> None:
        """An instruction is about to run."""
        code = frame.f_code
        if id(code) not in self._sites:
            self._sites[id(code)] = code, _sites_of(code)
        site = self._sites[id(code)][1].get(offset)
        if site is None:
            return
        variables = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
        try:
            owner = _follow(variables[site.owner[0]], site.owner[1:])
            if not (takes_numbers(owner) if site.is_call else isinstance(owner, CONTAINERS)):
                return
            values = [
                self._value(one.node, variables)
                for one in site.operands
                if all([isinstance(variables[name], NUMBERS) for name in one.numbers])
            ]
        except Exception:  # which the call itself raises
            return
        for value in values:
            for one in value if type(value) in (tuple, list) else (value,):
                if isinstance(one, Marked):
                    self.decisions.note(one.origins, frame)

    def _value(self, node: ast.expr, variables: dict[str, Any]) -> Any:
        """What an operand is; the sizes of tensors in it are marked."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return variables[node.id]
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple([self._value(one, variables) for one in node.elts])
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](self._value(node.left, variables), self._value(node.right, variables))
        if isinstance(node, ast.UnaryOp):
            return OPERATORS[type(node.op)](self._value(node.operand, variables))
        if isinstance(node, ast.Subscript):
            return self._value(node.value, variables)[self._value(node.slice, variables)]
        if isinstance(node, ast.Attribute):
            return self._marked(tuple(self._value(node.value, variables).shape))
        method: Any = node.func  # type: ignore[attr-defined]  # a call of one of SIZES
        arguments = [self._value(one, variables) for one in node.args]  # type: ignore[attr-defined]
        return self._marked(getattr(self._value(method.value, variables), method.attr)(*map(plain, arguments)))

    def _marked(self, sizes: Any) -> Any:
        if isinstance(sizes, tuple):
            return tuple([self._marked(one) for one in sizes])
        return marked(sizes, self.decisions, (sizes,))


def takes_numbers(function: Any) -> bool:
    """Whether a function takes numbers without calling their methods."""
    module = getattr(function, "__module__", None)
    return any([function is one for one in BUILTINS]) or module in MODULES or is_numpy(module)


def _follow(value: Any, names: list[str]) -> Any:
    """An attribute of a module or object, whose class runs no code for it; KeyError for others."""
    for name in names:
        value = vars(value)[name] if isinstance(value, ModuleType) else object.__getattribute__(value, "__dict__")[name]
    return value
