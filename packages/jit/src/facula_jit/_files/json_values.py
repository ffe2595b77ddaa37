"""Conversion of values to JSON and back: numbers, layouts, parameters, and trees of them."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import facula_storage
from facula_checkpoint import CheckpointError
from facula_checkpoint.extend import parse_json
from facula_errors import InvalidTypeError
from facula_storage import DType, Layout, contiguous, layout_of
from facula_storage.extend.plans import Program

from .._replay.scalar_formulas import FORMS
from .contracts.elementwise import program_of
from .errors import refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

DTYPES: dict[str, DType] = {value.name: value for value in vars(facula_storage).values() if isinstance(value, DType)}
KINDS: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}
NON_FINITE = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
MAX_DIMS = 64
GRAPH = "graph.json"
MAX_BYTES = 1 << 62  # limit of bytes and of elements


def dumps(value: object) -> bytes:
    """Return JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def loads(text: bytes) -> Any:
    """Parse strict JSON: UTF-8, no duplicate names, no NaN."""
    try:
        return parse_json(GRAPH, "the graph", text)
    except CheckpointError as error:
        refuse(str(error))


class Matrix(NamedTuple):
    """A sparse matrix by rows, in the form that `resample` requires; its planner validates it completely."""

    length: int
    starts: list[int]
    places: list[int]
    weights: list[float]


# ------------------------------------------------------------------------------------------------------------ writing
def number(value: float) -> Any:
    """Return a number; text for those that JSON does not support."""
    value = float(value) if isinstance(value, float) else value if isinstance(value, bool) else int(value)
    if isinstance(value, float) and not isfinite(value):
        return "nan" if value != value else "inf" if value > 0 else "-inf"
    return value


def layout(value: Layout) -> Any:
    """Return a layout: dtype, shape, and strides unless it is contiguous."""
    return [value.dtype.name, list(value.shape), None if value.is_contiguous else list(value.strides)]


def operand(value: Any) -> Any:
    """Return an operand of a plan's request: a layout, the type of a number, or None."""
    return value if value is None else value.__name__ if isinstance(value, type) else layout(value)


def operator(value: str | Program) -> Any:
    """Return the name of an operator, or the program."""
    if isinstance(value, str):
        return value
    instructions = [[instruction.operation, list(instruction.values)] for instruction in value.instructions]
    constants = [number(constant) for constant in value.constants]
    return {**value._asdict(), "constants": constants, "instructions": instructions}


def parameter(value: Any) -> Any:
    """Return a parameter of a plan; raise TypeError for one that is not plain data."""
    if isinstance(value, (tuple, list)):
        return [parameter(part) for part in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value if value is None else number(value)
    if isinstance(value, str):
        return {"name": value}
    if isinstance(value, complex):
        return {"complex": [number(value.real), number(value.imag)]}
    if isinstance(value, DType):
        return {"dtype": value.name}
    if all([hasattr(type(value), name) for name in Matrix._fields]):
        lists = [[number(element) for element in getattr(value, name).tolist()] for name in Matrix._fields[1:]]
        return {"matrix": [value.length, *lists]}
    raise InvalidTypeError(f"a parameter is a {type(value).__name__}")


def is_plain(value: Any) -> bool:
    """Return True if a parameter can be written."""
    try:
        parameter(value)
    except TypeError:
        return False
    return True


def alignment(dtype: DType) -> int:
    """Return the required alignment of an element's address in bytes: complex numbers consist of two."""
    return min(dtype.itemsize // (2 if dtype.is_complex else 1), 8)


# ------------------------------------------------------------------------------------------------------------ reading
def is_int(value: object, least: int, most: int = MAX_BYTES) -> bool:
    """Return True for an int in a closed range."""
    return type(value) is int and least <= value <= most


def an_int(value: Any, least: int, most: int, what: str) -> int:
    """Return an int; refuse other values and those outside a range."""
    if not is_int(value, least, most):
        refuse(f"{what} is {value!r:.60}; expected an integer from {least} to {most}")
    return int(value)


def entries(value: Any, names: Iterable[str], what: str) -> list[Any]:
    """Return the values of these names in an object; refuse it if one is missing."""
    names = list(names)
    if type(value) is not dict or not value.keys() >= set(names):
        refuse(f"{what} lacks some of {', '.join(names)}")
    return [value[name] for name in names]


def a_list(value: Any, what: str, length: int | None = None) -> list[Any]:
    """Return a list; refuse other values and other lengths, if a length is given."""
    if type(value) is not list or (length is not None and len(value) != length):
        refuse(f"{what} is {value!r:.60}; expected a list" + ("" if length is None else f" of {length}"))
    return value


def to_number(value: Any) -> Any:
    """Return a number of a file."""
    if type(value) is str and value in NON_FINITE:
        return NON_FINITE[value]
    if type(value) not in (bool, int, float) or abs(value) >= 1 << 64:
        if type(value) is not float:
            refuse(f"{value!r:.60} is no number")
    return value


def to_layout(value: Any) -> Layout:
    """Return a layout of a file, after checking dtype, sizes and strides, and that its extent fits into 62 bits."""
    name, shape, strides = a_list(value, "a layout", 3)
    if type(name) is not str or name not in DTYPES:
        refuse(f"{name!r:.60} is not a dtype; expected one of {', '.join(DTYPES)}")
    dtype = DTYPES[name]
    lengths = [an_int(length, 0, MAX_BYTES, "a length") for length in a_list(shape, "a shape")]
    if len(lengths) > MAX_DIMS:
        refuse(f"a layout has {len(lengths)} dimensions; expected at most {MAX_DIMS}")
    steps = (
        lengths
        if strides is None
        else [an_int(stride, 0, MAX_BYTES, "a stride") for stride in a_list(strides, "strides")]
    )
    if len(steps) != len(lengths):
        refuse(f"a layout has {len(lengths)} lengths and {len(steps)} strides")
    numel = reach = 1
    for length, step in zip(lengths, steps, strict=True):
        numel *= max(length, 1)
        reach += max(length - 1, 0) * (0 if strides is None else step)
        if max(numel, reach) * dtype.itemsize > MAX_BYTES:
            refuse(f"a layout of shape {shape!r:.80} does not fit into 62 bits")
    if strides is None:
        return contiguous(tuple(lengths), dtype)
    return layout_of(tuple(lengths), tuple(steps), dtype)


def to_operand(value: Any) -> Layout | type | None:
    """Return an operand of a plan."""
    if value is None:
        return None
    if type(value) is str:
        return KINDS[value] if value in KINDS else refuse(f"{value!r:.60} is no kind of number")
    return to_layout(value)


def to_operator(value: Any) -> str | Program:
    """Return an operator: its name, or a program."""
    if type(value) is str:
        return value
    try:
        constants = [to_number(constant) for constant in a_list(value["constants"], "constants")]
        return program_of({**value, "constants": constants})
    except (KeyError, TypeError, ValueError):
        refuse("an elementwise program needs a name, operands, constants, instructions and results")


def to_parameter(value: Any, depth: int = 6) -> Any:
    """Return a parameter of a plan: numbers, names, and tuples of them."""
    if not depth:
        refuse("parameters are nested too deeply")
    if type(value) is list:
        return tuple([to_parameter(part, depth - 1) for part in value])
    if value is None or type(value) in (bool, int, float, str):
        return value if value is None else to_number(value)
    if type(value) is dict and len(value) == 1:
        ((kind, encoded),) = value.items()
        if kind == "name" and type(encoded) is str and len(encoded) < 100:
            return encoded
        if kind == "dtype" and type(encoded) is str and encoded in DTYPES:
            return DTYPES[encoded]
        if kind == "matrix":
            length, starts, places, weights = a_list(encoded, "a matrix", 4)
            starts, places = [
                [an_int(k, 0, MAX_BYTES, "an entry") for k in a_list(part, "a matrix")] for part in (starts, places)
            ]
            numbers = [float(to_number(k)) for k in a_list(weights, "a matrix")]
            return Matrix(an_int(length, 0, MAX_BYTES, "a length"), starts, places, numbers)
        if kind == "complex":
            real, imaginary = a_list(encoded, "a complex number", 2)
            return complex(to_number(real), to_number(imaginary))
    refuse(f"{value!r:.60} is no parameter")


def to_form(data: Any, names: Collection[str]) -> list[Any]:
    """Return the form of a number; `names` are the available options."""
    form = a_list(data, "the form of a number")
    if form[:1] == ["constant"] and len(form) == 2 and type(form[1]) in (int, float):
        return form
    if not form or type(form[0]) is not str or form[0] not in FORMS or len(form) != 1 + FORMS[form[0]].options:
        refuse(f"{data!r:.80} is not a formula of a number")
    if not all([type(name) is str and name in names for name in form[1:]]):
        refuse(f"{data!r:.80} names an option that the group lacks")
    return form
