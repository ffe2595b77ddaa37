"""Argument kinds: the annotations of a declaration's signature, and how a generated function converts each argument.

`python -m facula_tensor._forms` reads this table when it generates public functions. Calls never read it.
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
    """One kind of argument. Texts name the argument `{name}`, the operator `{operation}`, the first argument
    `{first}` and the variadic argument `{star}`.

    - `annotation`: the annotation in the public function.
    - `convert`: the expression that converts the argument, which may raise an error.
    - `condition`: the condition for the conversion, empty if it is unconditional. It is false for the usual
    arguments, so that they are passed unchanged at the cost of one test.
    - `imports`: the names in these expressions, with the modules that define them.
    - `doc`: the argument's documentation, used if the docstring has none.
    - `alias_of`: the argument for which this one is another name, or "". The generated function assigns the
    converted value to that argument; the operator never receives the alias.
    """

    annotation: str
    convert: str = ""
    condition: str = ""
    imports: tuple[tuple[str, str], ...] = ()
    doc: str = ""
    alias_of: str = ""


PROMOTION, ARGUMENTS, TENSOR = ".._core.promotion", ".._dispatch.arguments", ".._core.tensor"
AS_TENSOR = (".._dispatch.view_call", "as_tensor")
SIZES = (".._core.sizes", "sizes as as_sizes")
AXIS = ArgumentKind(
    "int | None",
    'axis_for(dim, {name}, "{operation}")',
    "{name} is not None",
    ((ARGUMENTS, "axis_for"),),
    "NumPy's name of `dim`.",
    alias_of="dim",
)


def ndim_kind(ndim: int, doc: str) -> ArgumentKind:
    """Return the kind for tensors with `ndim` dimensions."""
    return ArgumentKind(
        "Tensor",
        f'of_ndim("{{operation}}", "{{name}}", {{name}}, {ndim})',
        f'len(getattr(getattr({{name}}, "_layout", None), "shape", ())) != {ndim}',
        ((ARGUMENTS, "of_ndim"),),
        doc,
    )


def choice(*values: str | None) -> ArgumentKind:
    """Return the kind for strings among `values`, which may include None."""
    said = f"{', '.join(map(repr, values[:-1]))} or {values[-1]!r}"
    quoted = ", ".join(["None" if value is None else f'"{value}"' for value in values])
    refuse = f'refuse_choice("{{operation}}", "{{name}}", {{name}}, "{said}")'
    annotation = "str | None" if None in values else "str"
    return ArgumentKind(annotation, refuse, f"{{name}} not in ({quoted})", ((ARGUMENTS, "refuse_choice"),))


KINDS = {
    "Tensor": ArgumentKind("Tensor", doc="the tensor."),
    "Reals": ArgumentKind("Tensor", doc="a tensor of real numbers."),
    "Floating": ArgumentKind(
        "Tensor",
        'floats("{operation}", {name})',
        imports=((ARGUMENTS, "floats"),),
        doc="a tensor with a floating dtype.",
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
    "RealOrTensor": ArgumentKind(  # the body computes the gradient of a tensor that requires one
        "float | Tensor",
        'real_or_tensor({name}, "{operation}", "{name}")',
        "type({name}) is not float and type({name}) is not int",
        ((PROMOTION, "real_or_tensor"),),
    ),
    "Checked": ArgumentKind(
        "Tensor",
        'as_tensor("{operation}", {name})',
        "not isinstance({name}, Tensor)",
        (AS_TENSOR, (TENSOR, "Tensor")),
        "the tensor.",
    ),
    "Steady": ArgumentKind(
        "Tensor",
        'steady_tensor("{operation}", {name})',
        imports=((ARGUMENTS, "steady_tensor"),),
        doc="the tensor.",
    ),
    "Snapshot": ArgumentKind(
        "Tensor",
        'snapshot(as_tensor("{operation}", {name}))',
        imports=(AS_TENSOR, (TENSOR, "snapshot")),
        doc="the tensor.",
    ),
    "FirstName": ArgumentKind(
        "Operand | None",
        'first_named("{operation}", {first}, {name})',
        "{name} is not None",
        ((ARGUMENTS, "first_named"),),
        "another name of `input`.",
        alias_of="{first}",
    ),
    "Vector": ndim_kind(1, "a vector."),
    "Matrix": ndim_kind(2, "a matrix."),
    "MatrixStack": ndim_kind(3, "a stack of matrices."),
    "Matrices": ArgumentKind(
        "Tensor",
        'matrices("{operation}", {name}, "{name}")',
        imports=(("..ops.linalg.matrices", "matrices"),),
        doc="matrices (..., m, n).",
    ),
    "SquareMatrices": ArgumentKind(
        "Tensor",
        'matrices("{operation}", {name}, "{name}", square=True)',
        imports=(("..ops.linalg.matrices", "matrices"),),
        doc="matrices (..., n, n).",
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
    "Sizes": ArgumentKind("Lengths", 'as_sizes("{operation}", ({name},))', imports=(SIZES,)),
    "Each": ArgumentKind("Lengths"),  # variadic; `SizesByName` converts it
    "SizesByName": ArgumentKind(
        "Lengths | None",
        'as_sizes("{operation}", {star}, {name}, "{name}")',
        condition="{name} is not None or not INTEGERS.issuperset(map(type, {star}))",
        imports=(SIZES, (SIZES[0], "INTEGERS")),
        doc="`{star}` as one sequence.",
        alias_of="{star}",
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
    "Outs": ArgumentKind("Sequence[Tensor] | None", doc="the tensors to write the results into; new tensors if None."),
    "Numbers": ArgumentKind("int | Sequence[int]"),  # one number for all dimensions, or one for each
    "Axis": AXIS,
    "Axes": AXIS._replace(annotation="Dims | None"),
    "PlainAxis": AXIS._replace(convert="{name}", imports=()),
    "ReducedDim": ArgumentKind("int | None", doc="the dimension; all elements if None."),
    "ReducedDims": ArgumentKind("Dims | None", doc="the dimension or dimensions; all of them if None."),
    "KeepDims": ArgumentKind("bool", "{name}", "{name}", doc="NumPy's name of `keepdim`.", alias_of="keepdim"),
    "Reduction": choice("none", "mean", "sum"),
    "Averages": ArgumentKind(
        "bool | None",
        "reduction_of_older(size_average, reduce)",
        "size_average is not None or reduce is not None",
        ((ARGUMENTS, "reduction_of_older"),),
        'older form of `reduction`: False means "sum".',
        alias_of="reduction",
    ),
    "Reduces": ArgumentKind("bool | None", doc='older form of `reduction`: False means "none".', alias_of="reduction"),
}
STANDARD = {
    "dim": "the dimension.",
    "tensors": "the tensors.",
    "keepdim": "whether to keep the reduced dimensions, with length 1.",
    "dtype": "the dtype of the result.",
    "device": "the device of the result; the default device if None.",
    "layout": "`strided`, the only supported layout, or None.",
    "requires_grad": "whether the result requires a gradient.",
    "generator": "the source of random numbers; the default generator if None.",
    "inplace": "whether to write the result into `input`.",
    "out": "the tensor to write the result into; a new tensor if None.",
    "pin_memory": "whether the result is in pinned memory.",
    "memory_format": "the order of the dimensions in memory; row-major if None.",
    "lengths": "the lengths, as numbers or as one sequence.",
    "size": "the shape; another way to give `lengths`.",
    "reduction": '"mean", "sum", or "none" for the loss of each element.',
    "kernel_size": "the size of the window: one number, or one for each dimension.",
    "stride": "the distance between windows; `kernel_size` if None.",
    "padding": "the number of elements to add at each border; at most half of `kernel_size`.",
    "dilation": "the distance between the elements of a window.",
    "ceil_mode": "whether to round output lengths up.",
}
"""Documentation, by name, of arguments that have the same meaning in all functions."""
CREATION = {
    "new": {"dtype": "the default floating dtype if None."},
    "like": {
        "input": "the tensor that determines shape, dtype and device.",
        "dtype": "the dtype of the result; that of `input` if None.",
        "device": "the device of the result; that of `input` if None.",
    },
    "own": {
        "dtype": "the dtype of the result; that of this tensor if None.",
        "device": "the device of the result; that of this tensor if None.",
    },
}
"""Documentation of arguments of creation functions."""
TOGETHER = {
    ("axis", "keepdims"): "NumPy's names of `dim` and `keepdim`.",
    ("size_average", "reduce"): 'older forms of `reduction`: False means "sum" and "none".',
    ("layout", "pin_memory"): "`strided` or None; whether the result is in pinned memory.",
    ("layout", "pin_memory", "memory_format"): "`strided` or None; whether to pin; the order of dimensions in memory.",
}
"""Documentation of groups of arguments, used if a function has all arguments of a group."""
