"""Kinds of arguments: what the signature of a declaration says of each, and how a written function treats it.

`python -m facula_tensor._forms` reads this table when it writes public functions; nothing is read at a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from .._core.tensor import Tensor
    from .._core.types import Dims, Lengths

    Reals: TypeAlias = Tensor
    Checked: TypeAlias = Tensor
    Steady: TypeAlias = Tensor
    Snapshot: TypeAlias = Tensor
    Vector: TypeAlias = Tensor
    Matrix: TypeAlias = Tensor
    MatrixStack: TypeAlias = Tensor
    Matrices: TypeAlias = Tensor
    SquareMatrices: TypeAlias = Tensor
    Floating: TypeAlias = Tensor
    FirstName: TypeAlias = Tensor | float | None
    Real: TypeAlias = float
    Float: TypeAlias = float
    RealOrTensor: TypeAlias = float | Tensor
    Integer: TypeAlias = int
    Positive: TypeAlias = int
    Flag: TypeAlias = bool
    Truth: TypeAlias = bool
    Outs: TypeAlias = Sequence[Tensor] | None
    Numbers: TypeAlias = int | Sequence[int]
    Axis: TypeAlias = int | None
    Axes: TypeAlias = Dims | None
    PlainAxis: TypeAlias = int | None
    ReducedDim: TypeAlias = int | None
    ReducedDims: TypeAlias = Dims | None
    KeepDims: TypeAlias = bool
    Reduction: TypeAlias = str
    Averages: TypeAlias = bool | None
    IntegerOrNone: TypeAlias = int | None
    Sizes: TypeAlias = tuple[int, ...]
    Each: TypeAlias = int
    SizesByName: TypeAlias = Lengths | None
    RequiredDim: TypeAlias = int | None
    Reduces: TypeAlias = bool | None


class ArgumentKind(NamedTuple):
    """One kind of arguments. Texts name the argument `{name}`, the operator `{operation}`, the first argument `{first}`
    and the one that takes any number of values `{star}`.

    - `annotation`: in the public function.
    - `convert`: the expression for what is used in the argument's place; it may raise.
    - `unless`: an expression that is false of most arguments, which are used as they are.
    - `needs`: the names in these expressions, and the modules that have them.
    - `says`: the argument's line of documentation, where the docstring has none.
    - `sets`: the argument of which this is another name; its value is `convert`, and the operator never sees this one.
    """

    annotation: str
    convert: str = ""
    unless: str = ""
    needs: tuple[tuple[str, str], ...] = ()
    says: str = ""
    sets: str = ""


PROMOTION, ARGUMENTS, TENSOR = ".._core.promotion", ".._dispatch.arguments", ".._core.tensor"
AS_TENSOR = (".._dispatch.view_call", "as_tensor")
SIZES = (".._core.sizes", "sizes as as_sizes")
AXIS = ArgumentKind(
    "int | None",
    'axis_for(dim, {name}, "{operation}")',
    "{name} is not None",
    ((ARGUMENTS, "axis_for"),),
    "NumPy's name of `dim`.",
    sets="dim",
)


def ndim_kind(ndim: int, says: str) -> ArgumentKind:
    """The kind of tensors that have `ndim` dimensions."""
    return ArgumentKind(
        "Tensor",
        f'of_ndim("{{operation}}", "{{name}}", {{name}}, {ndim})',
        f'type({{name}}) is not Tensor or len(getattr({{name}}._layout, "shape", ())) != {ndim}',
        ((ARGUMENTS, "of_ndim"), (TENSOR, "Tensor")),
        says,
    )


def choice(*values: str | None) -> ArgumentKind:
    """The kind of words that are one of these; or None, where it is among them."""
    said = f"{', '.join(map(repr, values[:-1]))} or {values[-1]!r}"
    quoted = ", ".join(["None" if one is None else f'"{one}"' for one in values])
    refuse = f'refuse_choice("{{operation}}", "{{name}}", {{name}}, "{said}")'
    annotation = "str | None" if None in values else "str"
    return ArgumentKind(annotation, refuse, f"{{name}} not in ({quoted})", ((ARGUMENTS, "refuse_choice"),))


KINDS = {
    "Tensor": ArgumentKind("Tensor", says="the tensor."),
    "Reals": ArgumentKind("Tensor", says="a tensor of real numbers."),
    "Floating": ArgumentKind(
        "Tensor",
        'floats("{operation}", {name})',
        needs=((ARGUMENTS, "floats"),),
        says="a tensor of a floating dtype.",
    ),
    "Real": ArgumentKind(
        "float",
        'as_real({name}, "{operation}", "{name}")',
        "type({name}) is not float and type({name}) is not int",
        ((PROMOTION, "as_real"),),
    ),
    "Float": ArgumentKind(
        "float",
        'float(as_real({name}, "{operation}", "{name}"))',
        "type({name}) is not float",
        ((PROMOTION, "as_real"),),
    ),
    "RealOrTensor": ArgumentKind(  # of a tensor that requires a gradient the body computes it
        "float | Tensor",
        'real_or_tensor({name}, "{operation}", "{name}")',
        "type({name}) is not float and type({name}) is not int",
        ((PROMOTION, "real_or_tensor"),),
    ),
    "Checked": ArgumentKind(
        "Tensor",
        'as_tensor("{operation}", {name})',
        "type({name}) is not Tensor",
        (AS_TENSOR, (TENSOR, "Tensor")),
        "the tensor.",
    ),
    "Steady": ArgumentKind(
        "Tensor",
        'steady_tensor("{operation}", {name})',
        needs=((ARGUMENTS, "steady_tensor"),),
        says="the tensor.",
    ),
    "Snapshot": ArgumentKind(
        "Tensor",
        'snapshot(as_tensor("{operation}", {name}))',
        needs=(AS_TENSOR, (TENSOR, "snapshot")),
        says="the tensor.",
    ),
    "FirstName": ArgumentKind(
        "Operand | None",
        'first_named("{operation}", {first}, {name})',
        "{name} is not None",
        ((ARGUMENTS, "first_named"),),
        "another name of `input`.",
        sets="{first}",
    ),
    "Vector": ndim_kind(1, "a vector."),
    "Matrix": ndim_kind(2, "a matrix."),
    "MatrixStack": ndim_kind(3, "a stack of matrices."),
    "Matrices": ArgumentKind(
        "Tensor",
        'matrices("{operation}", {name}, "{name}")',
        needs=(("..ops.linalg.matrices", "matrices"),),
        says="matrices (..., m, n).",
    ),
    "SquareMatrices": ArgumentKind(
        "Tensor",
        'matrices("{operation}", {name}, "{name}", square=True)',
        needs=(("..ops.linalg.matrices", "matrices"),),
        says="matrices (..., n, n).",
    ),
    "Integer": ArgumentKind(
        "int",
        'as_integer({name}, "{operation}", "{name}")',
        "type({name}) is not int",
        ((PROMOTION, "as_integer"),),
    ),
    "Positive": ArgumentKind(
        "int",
        'positive_integer("{operation}", "{name}", {name})',
        "type({name}) is not int or {name} < 1",
        ((ARGUMENTS, "positive_integer"),),
    ),
    "IntegerOrNone": ArgumentKind(
        "int | None",
        'as_integer({name}, "{operation}", "{name}")',
        "{name} is not None and type({name}) is not int",
        ((PROMOTION, "as_integer"),),
    ),
    "Sizes": ArgumentKind("Lengths", 'as_sizes("{operation}", ({name},))', needs=(SIZES,)),
    "Each": ArgumentKind("Lengths"),  # several, converted by `SizesByName`
    "SizesByName": ArgumentKind(
        "Lengths | None",
        'as_sizes("{operation}", {star}, {name}, "{name}")',
        needs=(SIZES,),
        says="`{star}` as one sequence.",
        sets="{star}",
    ),
    "RequiredDim": ArgumentKind(
        "int | None",
        'needed_dim("{operation}", {name})',
        "{name} is None",
        ((ARGUMENTS, "needed_dim"),),
        "the dimension.",
    ),
    "Flag": ArgumentKind("bool"),
    "Truth": ArgumentKind(
        "bool",
        'flag_value("{operation}", "{name}", {name})',
        "{name} is not False and {name} is not True",
        ((ARGUMENTS, "flag_value"),),
    ),
    "Outs": ArgumentKind("Sequence[Tensor] | None", says="the tensors where the results go; new ones if None."),
    "Numbers": ArgumentKind("int | Sequence[int]"),  # one for all dimensions, or one for each
    "Axis": AXIS,
    "Axes": AXIS._replace(annotation="Dims | None"),
    "PlainAxis": AXIS._replace(convert="{name}", needs=()),
    "ReducedDim": ArgumentKind("int | None", says="the dimension; all elements if None."),
    "ReducedDims": ArgumentKind("Dims | None", says="the dimension, or several; all of them if None."),
    "KeepDims": ArgumentKind("bool", "{name}", "{name}", says="NumPy's name of `keepdim`.", sets="keepdim"),
    "Reduction": choice("none", "mean", "sum"),
    "Averages": ArgumentKind(
        "bool | None",
        "reduction_of_older(size_average, reduce)",
        "size_average is not None or reduce is not None",
        ((ARGUMENTS, "reduction_of_older"),),
        'older form of `reduction`: False means "sum".',
        sets="reduction",
    ),
    "Reduces": ArgumentKind("bool | None", says='older form of `reduction`: False means "none".', sets="reduction"),
}
STANDARD = {
    "dim": "the dimension.",
    "tensors": "the tensors.",
    "keepdim": "whether the reduced dimensions stay, with length 1.",
    "dtype": "the dtype of the result.",
    "device": "where the elements lie; the default device if None.",
    "layout": "`strided`, the only one there is, or None.",
    "requires_grad": "whether the result requires a gradient.",
    "generator": "the source of random numbers; the default generator if None.",
    "inplace": "whether `input` itself takes the result.",
    "out": "where the result goes; a new tensor if None.",
    "pin_memory": "False: there is no pinned memory.",
    "memory_format": "the order of the dimensions in memory; row-major if None.",
    "lengths": "the lengths, as numbers or as one sequence.",
    "size": "the shape; another way to give `lengths`.",
    "reduction": '"mean", "sum", or "none" for each loss by itself.',
    "kernel_size": "the lengths of a window: one number, or one for each dimension.",
    "stride": "the distance of windows; `kernel_size` if None.",
    "padding": "how many elements are added at each border; at most half of `kernel_size`.",
    "dilation": "the distance of a window's elements.",
    "ceil_mode": "whether lengths are rounded up.",
}
"""Documentation of arguments that mean the same everywhere, by name."""
MAKERS = {
    "new": {"dtype": "the default floating dtype if None."},
    "like": {
        "input": "the tensor to take shape, dtype and device from.",
        "dtype": "that of `input` if None.",
        "device": "that of `input` if None.",
    },
}
"""The same for functions that make tensors."""
TOGETHER = {
    ("axis", "keepdims"): "NumPy's names of `dim` and `keepdim`.",
    ("size_average", "reduce"): 'older forms of `reduction`: False means "sum" and "none".',
    ("layout", "pin_memory"): "`strided` or None, and False: there are no others.",
    ("layout", "pin_memory", "memory_format"): "`strided` or None; False; the order of dimensions in memory or None.",
}
"""The same for arguments that occur together, where a function has them all."""
