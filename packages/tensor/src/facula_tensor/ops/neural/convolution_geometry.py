"""The geometry of convolutions: shape checks, strides, padding, and result sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError

from ..._core.geometry import is_integer, several
from ..._dispatch.arguments import geometry

if TYPE_CHECKING:
    from facula_storage import DType

    from ..._core.types import Parameters

Shape = tuple[int, ...]

LENGTHS: dict[int, tuple[str, ...]] = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}
WHAT = {1: "sequences", 2: "images", 3: "volumes"}


def words(dims: int) -> dict[str, object]:
    """Return docstring substitutions for functions of sequences (1), images (2) or volumes (3), and example sizes."""
    lengths, count = LENGTHS[dims], 2**dims
    return {
        "dims": dims, "images": WHAT[dims], "lengths": ", ".join(lengths),
        "kernel": ", ".join([f"kernel {length}" for length in lengths]),
        "out": ", ".join([f"out {length}" for length in lengths]),
        "ones": ", 1" * dims, "twos": ", 2" * dims, "count": count, "last": count - 1, "mean": (count - 1) / 2,
    }  # fmt: skip


def as_images(numbers: Shape, filler: int) -> Shape:
    """Convert the number for one length to numbers for height and width; return others unchanged."""
    return (filler,) * (2 - len(numbers)) + numbers


def check_operands(
    operation: str, dims: int, operands: tuple[tuple[Shape, DType], ...], groups: int, transposed: bool
) -> None:
    """Check that input, weight and bias (if given) fit each other; errors name the operation.

    They belong to a convolution of `dims` dimensions, or to its transpose if `transposed`. `conv2d` itself checks
    dtypes, after autocast.
    """
    dtypes = [dtype for _, dtype in operands]
    if operation != "conv2d" and len({*dtypes}) > 1:
        raise DTypeError(
            f"{operation}: expected all in one dtype; got {', '.join([dtype.name for dtype in dtypes])}; "
            "convert with .to()"
        )
    (input, _), (weight, _), *biases = operands
    if not is_integer(groups) or groups < 1:
        raise ArgumentError(f"{operation}: expected groups to be an int of at least 1; got {groups!r}")
    lengths = ", ".join(LENGTHS[dims])
    if len(input) not in (dims + 1, dims + 2):
        raise ArgumentError(
            f"{operation}: expected input of shape ({WHAT[dims]}, channels, {lengths}) or (channels, {lengths}); "
            f"got {input}"
        )
    if len(weight) != dims + 2:
        order = "channels, filters / groups" if transposed else "filters, channels / groups"
        raise ArgumentError(f"{operation}: expected weight of shape ({order}, {lengths}); got {weight}")
    channels, needed = input[-dims - 1], weight[0] if transposed else weight[1] * groups
    if channels != needed:
        raise ArgumentError(
            f"{operation}: expected input with {needed} channels, as weight {weight}"
            f"{f' with groups={groups}' if groups > 1 else ''} has; got {channels} in input {input}"
        )
    if weight[0] % groups:
        raise ArgumentError(f"{operation}: expected weight.shape[0] to be a multiple of groups={groups}; got {weight}")
    filters = weight[1] * groups if transposed else weight[0]
    if biases and biases[0][0] != (filters,):
        raise ArgumentError(f"{operation}: expected bias of shape ({filters},); got {biases[0][0]}")
    if not all(weight[2:]):
        raise ArgumentError(f"{operation}: expected a kernel of at least one element; got weight {weight}")


@geometry
def forward_parameters(
    name: str,
    operands: tuple[tuple[Shape, DType], ...],
    dims: int,
    stride: object,
    padding: object,
    dilation: object,
    groups: int,
) -> tuple[Parameters, bool]:
    """Return the operator's parameters for a convolution of `dims` dimensions, and whether the input is unbatched.

    Raises an error for an invalid convolution.
    """
    (input, _), (weight, _), *_ = operands
    check_operands(name, dims, operands, groups, False)
    steps, gaps = several(name, "stride", stride, dims, 1), several(name, "dilation", dilation, dims, 1)
    if padding == "same":
        if max(steps) != 1:
            raise ArgumentError(f"{name}: padding='same' needs stride 1; got stride={steps}")
        before = tuple([gap * (taps - 1) // 2 for gap, taps in zip(gaps, weight[2:], strict=True)])
    elif isinstance(padding, str) and padding != "valid":
        raise ArgumentError(f"{name}: expected padding to be numbers, 'same' or 'valid'; got {padding!r}")
    else:
        before = (0,) * dims if padding == "valid" else several(name, "padding", padding, dims, 0)
    size: Shape = ()
    for length, taps, step, gap, more in zip(input[-dims:], weight[2:], steps, gaps, before, strict=True):
        reach = gap * (taps - 1)
        rest = length - 1 + (0 if padding == "same" else 2 * more - reach)
        if rest < 0:
            raise does_not_fit(name, input[-dims:], weight[2:], before, gaps)
        size += (rest // step + 1,)
    return arranged(steps, before, gaps, groups, size), len(input) == dims + 1


def does_not_fit(name: str, lengths: Shape, kernel: Shape, padding: Shape, dilation: Shape) -> ArgumentError:
    """Return the error for a kernel that is longer than the padded input."""
    spans = tuple([gap * (taps - 1) + 1 for gap, taps in zip(dilation, kernel, strict=True)])
    padded = tuple([length + 2 * more for length, more in zip(lengths, padding, strict=True)])
    apart = f" with dilation {dilation}" if max(dilation) != 1 else ""
    return ArgumentError(
        f"{name}: the kernel {kernel}{apart} spans {spans} and does not fit the padded input {padded}; "
        "make it smaller, or padding larger"
    )


@geometry
def transposed_parameters(
    name: str,
    operands: tuple[tuple[Shape, DType], ...],
    dims: int,
    stride: object,
    padding: object,
    output_padding: object,
    groups: int,
    dilation: object,
) -> tuple[Parameters, bool]:
    """Return `forward_parameters` of the transpose, with the caller's `output_padding`."""
    (input, _), (weight, _), *_ = operands
    check_operands(name, dims, operands, groups, True)
    steps, gaps = several(name, "stride", stride, dims, 1), several(name, "dilation", dilation, dims, 1)
    cut = several(name, "padding", padding, dims, 0)
    extra = several(name, "output_padding", output_padding, dims, 0)
    if any([more >= max(step, gap) for more, step, gap in zip(extra, steps, gaps, strict=True)]):
        raise ArgumentError(
            f"{name}: expected output_padding smaller than stride or dilation; got output_padding={extra}, "
            f"stride={steps}, dilation={gaps}"
        )
    size = tuple([
        (length - 1) * step - 2 * less + gap * (taps - 1) + 1 + more
        for length, step, less, gap, taps, more in zip(
            input[-dims:], steps, cut, gaps, weight[2:], extra, strict=True
        )
    ])  # fmt: skip
    if min(size) < 1:
        raise ArgumentError(
            f"{name}: input {input} with padding {cut} leaves an output of {size}; make padding smaller"
        )
    return arranged(steps, cut, gaps, groups, size), len(input) == dims + 1


def arranged(stride: Shape, padding: Shape, dilation: Shape, groups: int, size: Shape) -> Parameters:
    """Return the operator's parameters; sequences are images of height 1."""
    stride, padding, dilation = as_images(stride, 1), as_images(padding, 0), as_images(dilation, 1)
    return stride, padding, dilation, int(groups), as_images(size, 1)
