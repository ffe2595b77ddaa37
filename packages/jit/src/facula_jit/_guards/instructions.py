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


def special_methods(one: dis.Instruction) -> tuple[str, ...]:
    """Return the names of the special methods that an operator's instruction runs."""
    if one.opname == "BINARY_OP":
        name = OPERATORS.get(one.argrepr.rstrip("="), "")
        return tuple([f"__{prefix}{name}__" for prefix in ("", "r", "i")]) if name else ()
    if one.opname == "COMPARE_OP":
        name = COMPARISONS.get(one.argrepr.removeprefix("bool(").rstrip(")"), "")
    else:
        name = SIGNS.get(one.opname, "")
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
    steps = [one for one in dis.get_instructions(code) if one.opname not in NEUTRAL[2:]]
    prefix: list[int] = []  # offsets of EXTENDED_ARG, where a tracer may report the instruction
    steps_and_prefixes = []
    for one in steps:
        if one.opname == "EXTENDED_ARG":
            prefix.append(one.offset)
        else:
            steps_and_prefixes.append((one, prefix))
            prefix = []
    imported: set[str] = set()
    for place, (one, before) in enumerate(steps_and_prefixes):
        following = [step for step, _ in steps_and_prefixes[place + 1 : place + 9]]
        read = None
        if one.opname in GLOBALS:
            read = Read(GLOBAL, one.argval, *_chain(following))
        elif one.opname in CELLS:
            read = Read(CELL, one.argval, *_chain(following))
        elif one.opname in ATTRIBUTES:
            read = Read(ATTRIBUTE, one.argval)
        elif one.opname == "IMPORT_NAME":
            level = next((step.argval for step, _ in steps_and_prefixes[place - 2 : place]), 0)
            read = _import(one.argval, level or 0, steps_and_prefixes[place + 1 :], imported)
        elif one.opname in ("MATCH_SEQUENCE", "MATCH_MAPPING"):
            read = Read(ABSTRACT, "match")
        elif one.opname == "MATCH_CLASS":
            read = Read(MATCH, "match")
        elif one.opname == "IS_OP" and steps_and_prefixes[place - 1][0].opname != "LOAD_CONST":
            read = Read(IDENTITY, "identity")
        elif one.opname in LOCALS and one.argval in imported:
            read = Read(LOCAL, one.argval, *_chain(following))
        elif names := special_methods(one):
            read = Read(SPECIAL, "special", names)
        if read is not None:
            found.update(dict.fromkeys((one.offset, *before), read))
    return found


def reads_of(code: CodeType) -> dict[int, Read]:
    """Return the reads of a code object by offset. Equal code objects with different lines share one table."""
    return _reads_of(code, id(code))


def _chain(following: list[dis.Instruction]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the attributes that consecutive instructions read, and the offsets of these instructions."""
    names, offsets = [], []
    for one in following:
        if one.opname not in ATTRIBUTES[:4]:
            break
        names.append(one.argval)
        offsets.append(one.offset)
        if one.opname in ATTRIBUTES[2:]:
            break
    return tuple(names), tuple(offsets)


def _import(name: str, level: int, after: list[tuple[dis.Instruction, list[int]]], imported: set[str]) -> Read:
    """Decode an import statement: its module and the imported names. Its variables are added to `imported`."""
    names = []
    for one, _ in after:
        if one.opname == "IMPORT_FROM":
            names.append(one.argval)
        elif one.opname in STORES:
            imported.add(one.argval)
            if not names:
                break
        elif one.opname not in ("SWAP", "POP_TOP"):
            break
    return Read(IMPORT, name, tuple(names), (), level)
