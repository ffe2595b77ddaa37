"""The reads from outside a frame that the instructions of a code object perform, decoded once per code object."""

from __future__ import annotations

import dis
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from types import CodeType

GLOBAL, CELL, ATTRIBUTE, IMPORT, LOCAL, MATCH, IDENTITY, SPECIAL, ABSTRACT = range(9)

GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
CELLS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "STORE_DEREF", "DELETE_DEREF")
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR")
LOCALS = ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW", "LOAD_FAST_AND_CLEAR")
STORES = ("STORE_FAST", "STORE_DEREF", "STORE_NAME")
NEUTRAL = ("CACHE", "EXTENDED_ARG", "PUSH_NULL", "NOP", "COPY", "PRECALL")  # they leave the loaded value on the stack
MAX_TABLES = 4096
OPERATORS = dict(zip(
    "+ & // << @ * % | ** >> - / ^ []".split(),
    "add and floordiv lshift matmul mul mod or pow rshift sub truediv xor getitem".split(),
    strict=True,
))  # fmt: skip
COMPARISONS = dict(zip("< <= == != > >=".split(), "lt le eq ne gt ge".split(), strict=True))
SIGNS = {
    "UNARY_NEGATIVE": "neg", "UNARY_POSITIVE": "pos", "UNARY_INVERT": "invert", "BINARY_SUBSCR": "getitem",
    "STORE_SUBSCR": "setitem", "BINARY_SLICE": "getitem", "STORE_SLICE": "setitem", "CONTAINS_OP": "contains",
    "FORMAT_VALUE": "format", "FORMAT_SIMPLE": "format", "FORMAT_WITH_SPEC": "format", "CONVERT_VALUE": "format",
    "GET_ITER": "iter", "UNPACK_SEQUENCE": "iter", "UNPACK_EX": "iter",
}  # fmt: skip
"""Instructions that run special methods, and the names of these methods."""


def special_methods(instruction: dis.Instruction) -> tuple[str, ...]:
    """Return the names of the special methods that an operator's instruction runs."""
    if instruction.opname == "BINARY_OP":
        name = OPERATORS.get(instruction.argrepr.rstrip("="), "")
        return tuple([f"__{prefix}{name}__" for prefix in ("", "r", "i")]) if name else ()
    if instruction.opname == "COMPARE_OP":
        name = COMPARISONS.get(instruction.argrepr.removeprefix("bool(").rstrip(")"), "")
    else:
        name = SIGNS.get(instruction.opname, "")
    return (f"__{name}__",) if name else ()


class Read(NamedTuple):
    """One read: `kind`, the name, and the attributes that the following instructions read from the value.

    `offsets` are those of these attribute instructions. Depending on the kind, the fields mean:

    * IMPORT: `name` is the module, `level` that of a relative import.
    * SPECIAL: `chain` contains the methods.
    * LOCAL: `name` is a variable that an import statement sets.
    """

    kind: int
    name: str
    chain: tuple[str, ...] = ()
    offsets: tuple[int, ...] = ()
    level: int = 0


@lru_cache(MAX_TABLES)
def _reads_of(code: CodeType, _: int) -> dict[int, Read]:
    found: dict[int, Read] = {}
    steps = [instruction for instruction in dis.get_instructions(code) if instruction.opname not in NEUTRAL[2:]]
    prefix: list[int] = []  # offsets of EXTENDED_ARG, where a tracer may report the instruction
    steps_and_prefixes = []
    for step in steps:
        if step.opname == "EXTENDED_ARG":
            prefix.append(step.offset)
        else:
            steps_and_prefixes.append((step, prefix))
            prefix = []
    imported: set[str] = set()
    for place, (instruction, before) in enumerate(steps_and_prefixes):
        following = [step for step, _ in steps_and_prefixes[place + 1 : place + 9]]
        read = None
        if instruction.opname in GLOBALS:
            read = Read(GLOBAL, instruction.argval, *_chain(following))
        elif instruction.opname in CELLS:
            read = Read(CELL, instruction.argval, *_chain(following))
        elif instruction.opname in ATTRIBUTES:
            read = Read(ATTRIBUTE, instruction.argval)
        elif instruction.opname == "IMPORT_NAME":
            level = next((step.argval for step, _ in steps_and_prefixes[place - 2 : place]), 0)
            read = _import(instruction.argval, level or 0, steps_and_prefixes[place + 1 :], imported)
        elif instruction.opname in ("MATCH_SEQUENCE", "MATCH_MAPPING"):
            read = Read(ABSTRACT, "match")
        elif instruction.opname == "MATCH_CLASS":
            read = Read(MATCH, "match")
        elif instruction.opname == "IS_OP" and steps_and_prefixes[place - 1][0].opname != "LOAD_CONST":
            read = Read(IDENTITY, "identity")
        elif instruction.opname in LOCALS and instruction.argval in imported:
            read = Read(LOCAL, instruction.argval, *_chain(following))
        elif names := special_methods(instruction):
            read = Read(SPECIAL, "special", names)
        if read is not None:
            found.update(dict.fromkeys((instruction.offset, *before), read))
    return found


def reads_of(code: CodeType) -> dict[int, Read]:
    """Return the reads of a code object by offset. Equal code objects with different lines share one table."""
    return _reads_of(code, id(code))


def _chain(following: list[dis.Instruction]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the attributes that consecutive instructions read, and the offsets of these instructions."""
    names, offsets = [], []
    for instruction in following:
        if instruction.opname not in ATTRIBUTES[:4]:
            break
        names.append(instruction.argval)
        offsets.append(instruction.offset)
        if instruction.opname in ATTRIBUTES[2:]:
            break
    return tuple(names), tuple(offsets)


def _import(name: str, level: int, after: list[tuple[dis.Instruction, list[int]]], imported: set[str]) -> Read:
    """Decode an import statement: its module and the imported names. Its variables are added to `imported`."""
    names = []
    for instruction, _ in after:
        if instruction.opname == "IMPORT_FROM":
            names.append(instruction.argval)
        elif instruction.opname in STORES:
            imported.add(instruction.argval)
            if not names:
                break
        elif instruction.opname not in ("SWAP", "POP_TOP"):
            break
    return Read(IMPORT, name, tuple(names), (), level)
