"""Kinds of arguments: what the signature of a declaration says of each, and how a written function treats it.

`python -m facula_tensor._forms` reads this table when it writes public functions; nothing is read at a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias

    from .._core.tensor import Tensor

    Floating: TypeAlias = Tensor
    Real: TypeAlias = float
    Float: TypeAlias = float
    Flag: TypeAlias = bool


class Kind(NamedTuple):
    """One kind of arguments. Texts name the argument `{name}` and the operator `{operation}`.

    - `annotation`: in the public function.
    - `convert`: the expression for what is used in the argument's place; it may raise.
    - `unless`: an expression that is false of most arguments, which are used as they are.
    - `needs`: the names in these expressions, and the modules that have them.
    - `says`: the argument's line of documentation, where the docstring has none.
    """

    annotation: str
    convert: str = ""
    unless: str = ""
    needs: tuple[tuple[str, str], ...] = ()
    says: str = ""


PROMOTION = ".._core.promotion"
KINDS = {
    "Tensor": Kind("Tensor", says="a tensor of real numbers."),
    "Floating": Kind(
        "Tensor",
        'floats("{operation}", {name})',
        needs=((".._dispatch.arguments", "floats"),),
        says="a tensor of a floating dtype.",
    ),
    "Real": Kind(
        "float",
        'as_real({name}, "{operation}", "{name}")',
        "type({name}) is not float and type({name}) is not int",
        ((PROMOTION, "as_real"),),
    ),
    "Float": Kind(
        "float",
        'float(as_real({name}, "{operation}", "{name}"))',
        "type({name}) is not float",
        ((PROMOTION, "as_real"),),
    ),
    "Flag": Kind("bool"),
}
STANDARD = {
    "inplace": "whether `input` itself takes the result.",
    "out": "where the result goes; a new tensor if None.",
}
"""Documentation of arguments that mean the same everywhere, by name."""
