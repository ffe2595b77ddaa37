"""Values that a program compares with `is`, and that guards therefore compare by identity.

Note [Identity]
~~~~~~~~~~~~~~~
Guards and signatures accept an equal number, string or tuple instead of the one that was read. `a is b` can distinguish
them, but only if both are equal and of the same type; otherwise its result is the same for all equal objects. The
operands of each `is` that runs are therefore computed from the instructions that loaded them, provided that this runs
no code of the program (variables, attributes, entries). If they are equal, or if one is unknown and may be equal to the
other, their value becomes *exact*: places that contain it are compared by identity. If both are unknown, every value
becomes exact. The standard library is excluded, since it uses `is` for speed and for its own markers.
"""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd.extend.nodes import describe_call_site
from facula_storage.extend.replay import CheckKind
from facula_tensor import Tensor

from .._recording.signature import NUMBERS, by_value
from .._recording.tensor_guards import EXACT, first_failing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType


VALUES = (*NUMBERS, tuple, range, slice, np.generic)  # types of values that guards or signatures may accept as equal
COMPARED = (int, float, complex, str, bytes, tuple)  # types that guards compare by value
SMALL_INTEGERS = range(-5, 257)  # each of which is a single object
SEARCHES = frozenset(("__contains__", "index", "count", "remove"))  # they find a NaN by identity
OF_TENSORS = frozenset("dtype device layout grad grad_fn data T mT H".split())  # attributes that are not plain values
UNKNOWN, DISTINCT = object(), object()  # any value; an object that is identical wherever it is equal
IGNORED = ("EXTENDED_ARG", "NOP", "PRECALL", "KW_NAMES", "RESUME", "CACHE", "NOT_TAKEN")
VARIABLES = ("LOAD_FAST", "LOAD_DEREF", "LOAD_NAME", "LOAD_CLASSDEREF")  # prefixes of instruction names
MAX_TABLES = 4096

Expression = tuple[Any, ...]  # the source of an operand: ("variable", name), ("attribute", owner, name), ...
NOTHING: Expression = ("unknown",)


@lru_cache(MAX_TABLES)
def _operands_of(code: CodeType, _: int) -> dict[int, tuple[Expression, Expression]]:
    found, stack = {}, list[Expression]()

    def pop() -> Expression:
        return stack.pop() if stack else NOTHING

    for instruction in dis.get_instructions(code):
        if instruction.is_jump_target:
            stack.clear()
        name, value = instruction.opname, instruction.argval
        if name in IGNORED:
            continue
        if name.startswith(VARIABLES):
            stack += [("variable", part) for part in (value if isinstance(value, tuple) else (value,))]
        elif name == "LOAD_GLOBAL":
            before = instruction.argrepr.startswith("NULL")
            stack += [NOTHING] * before + [("global", value)] + [NOTHING] * (instruction.argrepr.endswith("NULL"))
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            stack.append(("constant", value))
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            made: list[Expression] = [("attribute", pop(), value)]
            stack += made + [NOTHING] * dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
        elif name == "BINARY_SUBSCR" or (name == "BINARY_OP" and instruction.argrepr == "[]"):
            key = pop()
            stack.append(("entry", pop(), key))
        elif name == "COPY":
            stack.append(stack[-value] if value <= len(stack) else NOTHING)
        elif name == "SWAP":
            stack[:0] = [NOTHING] * (value - len(stack))
            stack[-1], stack[-value] = stack[-value], stack[-1]
        elif name == "CALL":
            popped = [pop() for _ in range(value + 2)]
            stack.append(("distinct",) if value == 1 and ("global", "type") in popped else NOTHING)
        elif name == "IS_OP":
            right, left = pop(), pop()
            found[instruction.offset] = left, right
            stack.append(("distinct",))
        else:
            effect = dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
            popped = [pop() for _ in range(max(1, 1 - effect))]
            stack += [NOTHING] * (len(popped) + effect)
    return found


def operands_of(code: CodeType) -> dict[int, tuple[Expression, Expression]]:
    """Return the operands of each `is` in a code object, by the offset of the instruction."""
    return _operands_of(code, id(code))


def value_of(expression: Expression, frame: FrameType) -> Any:
    """Return the value of an operand, UNKNOWN or DISTINCT, without running code of the program."""
    kind, *parts = expression
    if kind == "constant":
        return parts[0]
    if kind == "distinct":
        return DISTINCT
    if kind == "variable" and parts[0] in frame.f_locals:
        return frame.f_locals[parts[0]]
    if kind in ("variable", "global"):
        return frame.f_globals.get(parts[0], frame.f_builtins.get(parts[0], UNKNOWN))
    if kind == "attribute":
        return _attribute(value_of(parts[0], frame), parts[1])
    return _entry(*[value_of(part, frame) for part in parts]) if kind == "entry" else UNKNOWN


def _attribute(owner: Any, name: str) -> Any:
    kind = type(owner)
    if name == "__class__":
        return DISTINCT
    if issubclass(kind, Tensor):
        return DISTINCT if name in OF_TENSORS else UNKNOWN
    if issubclass(kind, ModuleType):
        return vars(owner).get(name, UNKNOWN)
    if kind is not type and type(kind.__getattribute__) is not WrapperDescriptorType:
        return UNKNOWN
    bases = owner.__mro__ if kind is type else kind.__mro__
    found = next((vars(base)[name] for base in bases if name in vars(base)), UNKNOWN)
    if type(found) is FunctionType:
        return DISTINCT if kind is type else _own(owner).get(name, DISTINCT)
    if type(found) is MemberDescriptorType and kind is not type:
        try:
            return found.__get__(owner)
        except AttributeError:
            return UNKNOWN
    if hasattr(type(found), "__get__"):
        return UNKNOWN
    return found if kind is type else _own(owner).get(name, found)


def _own(owner: Any) -> dict[str, Any]:
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return own if type(own) is dict else {}


def _entry(owner: Any, key: Any) -> Any:
    is_sequence = type(owner) in (list, tuple) and type(key) is int
    if is_sequence or (type(owner) is dict and type(key) in (int, str, bytes)):
        try:
            return owner[key]
        except LookupError:
            pass
    return UNKNOWN


def is_unique(value: Any) -> bool:
    """Return True if equal values are always the same object."""
    kind = type(value)
    if kind is int:
        return value in SMALL_INTEGERS
    if kind is str:
        return len(value) < 2 and value < "\u0100"
    return kind is bool or (kind in (bytes, tuple) and not value) or not issubclass(kind, VALUES)


def may_be_equal(first: Any, other: Any) -> bool:
    """Return True if guards or signatures accept one value instead of the other."""
    if first is other or type(first) is not type(other):
        return first is other
    is_compared = type(first) in COMPARED or type(first).__module__ == "numpy"
    return not is_compared or first_failing([(CheckKind.ITEM, {"": first}, "", other)]) is None


def is_nan(value: Any) -> bool:
    """Return True for a number that is not equal to itself."""
    kind = type(value)
    return (kind in (float, complex) or issubclass(kind, np.inexact)) and value != value


class Identity:
    """The values that a run compares by identity.

    Arguments:
        names: names of attributes that instructions load.
    """

    def __init__(self, names: set[str]):
        self.names = names
        self.everything = False  # True if it may compare any value by identity
        self.where = ""  # the first line that does so
        self._values: list[Any] = []

    def compared(self, operands: tuple[Expression, Expression], frame: FrameType) -> None:
        """Record the operands of an `is` that is about to run."""
        left, right = [value_of(operand, frame) for operand in operands]
        for side in (left, right):
            if side is DISTINCT or (side is not UNKNOWN and is_unique(side)):
                return
        if left is not UNKNOWN and right is not UNKNOWN and not may_be_equal(left, right):
            return
        self.where = self.where or describe_call_site(frame.f_code, frame.f_lasti)
        value = right if left is UNKNOWN else left
        if value is UNKNOWN:
            self.everything = True
        elif not any([known is value for known in self._values]):
            self._values.append(value)

    @property
    def compared_at(self) -> str:
        """A description of the line that compares values, or ""."""
        return f", which `is` compares at {self.where}" if self.where else ""

    @property
    def is_used(self) -> bool:
        """True if any value is exact."""
        return self.everything or bool(self._values) or not SEARCHES.isdisjoint(self.names)

    def is_exact(self, value: Any) -> bool:
        """Return True if a value, or one in a tuple, is compared by identity."""
        todo = [value]
        for code in todo:  # the loop appends to it
            if is_unique(code):
                continue
            if self.everything or any([may_be_equal(code, other) for other in self._values]):
                return True
            if type(code) is tuple:
                todo += code
            elif is_nan(code) and not SEARCHES.isdisjoint(self.names):
                return True
        return False

    def guards(self, found: Iterable[Any]) -> Iterator[Any]:
        """Generate additional guards that compare the exact values in these guards by identity."""
        for place in found if self.is_used else ():
            kind, holder, _, expected, _, words = place
            if kind not in EXACT:
                continue
            exact = place._replace(kind=EXACT[kind], words=f"which object {words} is{self.compared_at}")
            if kind is not CheckKind.ENTRIES:
                if self.is_exact(expected):
                    yield exact
            elif isinstance(holder, dict):
                for key, value in zip(expected[::2], expected[1::2], strict=True):
                    if self.is_exact(key) or (type(key) is not str and self.is_exact(value)):
                        yield exact
                        break
                    if self.is_exact(value):
                        yield exact._replace(kind=CheckKind.EXACT_ITEM, key=key, expected=value, name=key)
            elif any(map(self.is_exact, expected)):
                yield exact

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[int, Any]]:
        """Return the exact values among the arguments of a call, each with its index in `plain_parts`."""
        if not self.is_used:
            return []
        return [(at, part) for at, part in enumerate(plain_parts(args, kwargs)) if self.is_exact(part)]


def plain_parts(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Return the plain values among arguments and in their containers, in an order determined by the signature."""
    found: list[Any] = []
    todo, visited = [*args, *kwargs.values()], set[int]()
    for code in todo:  # the loop appends to it
        if issubclass(type(code), VALUES) and not issubclass(type(code), tuple):
            found.append(code)
        if issubclass(type(code), slice):
            todo += (code.start, code.stop, code.step)
        elif issubclass(type(code), Tensor):
            todo += (code._own_attributes or {}).values()
        elif id(code) not in visited and (pieces := by_value(code)) is not None:
            visited.add(id(code))
            todo += (*(pieces[0] or ()), *pieces[1])
    return found
