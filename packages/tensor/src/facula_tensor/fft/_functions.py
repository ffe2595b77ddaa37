"""The eighteen transforms: complex, real-input and real-output, over one dimension, two or several."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .._dispatch.written import Declared, declare
from ._arguments import complex_fft, from_real, to_real

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import Dims, Function, Lengths

HEAD = """{says}

Arguments:
    input: the numbers to transform.
    {lengths}
    {dims}
    norm: which direction is scaled: "forward", "backward" (the same as None) or "ortho", which scales both.

"""
PARTS = "how many elements along `dim` take part; all if None."
RESULTS = "the number of elements of the result along `dim`; 2 (m - 1) of m if None."
PARTS_OF_EACH = "how many elements of each dimension take part, -1 for all; all if None."
RESULTS_OF_LAST = (
    "how many elements of each dimension take part, and the last dimension of the result has; -1 for all; all if None."
)


def one_dim(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> None: ...
def two_dims(input: Tensor, s: Lengths | None = None, dim: Dims | None = (-2, -1), norm: str | None = None) -> None: ...
def several_dims(input: Tensor, s: Lengths | None = None, dim: Dims | None = None, norm: str | None = None) -> None: ...


def declare_fft(compute: Function, name: str, says: str, operand: str, result: str, length: int) -> None:
    """Declare a transform along one dimension, and its variants along two and several.

    Arguments:
        compute: the function that computes the transform.
        name: the name of the variant along one dimension.
        says: the start of its docstring.
        operand, result: the example's operand and result.
        length: the length of the result's last dimension for an operand of shape (2, 4).
    """
    gives_reals = compute.func is to_real  # type: ignore[attr-defined]
    example = f">>> from facula_tensor import tensor\n>>> {name}(tensor({operand}))\ntensor({result})"
    of_ones = ">>> from facula_tensor import ones\n>>> {name}(ones(2, 4)).shape\nfacula.Size([2, " + f"{length}])"
    by_dim = f"n: {RESULTS if gives_reals else PARTS}", "dim: the dimension."
    by_dims = f"s: {RESULTS_OF_LAST if gives_reals else PARTS_OF_EACH}"
    last_ones = "dim: the dimensions; the last ones, as many as `s` has, or all, if None."
    rows = (
        (name, one_dim, says, by_dim, example),
        (f"{name}2", two_dims, f"`{name}` along two dimensions.", (by_dims, "dim: the dimensions."), of_ones),
        (f"{name}n", several_dims,
         f"`{name}` along several dimensions: the last ones where `s` says how many, else all.",
         (by_dims, last_ones), of_ones),
    )  # fmt: skip
    for own, signature, first, (lengths, dims), shown in rows:
        doc = HEAD.format(says=first, lengths=lengths, dims=dims) + shown.format(name=own)
        body = partial(compute, f"fft.{own}", several=signature is not one_dim)
        declare(Declared(own, __name__, doc, signature, label=f"fft.{own}", out=True, overridable=True), body)


declare_fft(
    partial(complex_fft, inverse=False), "fft",
    "The discrete Fourier transform along a dimension.\n\n"
    "Operands are cut off or filled up with zeros to `n` elements. Scaling is by 1 / n, or in both directions by its\n"
    "root. Integers are computed in the default floating dtype.",
    "[1.0, 0.0, 0.0]", "[1.+0.j, 1.+0.j, 1.+0.j]", 4,
)  # fmt: skip
declare_fft(
    partial(complex_fft, inverse=True), "ifft", "The inverse of `fft`.",
    "[3.0, 0.0, 0.0]", "[1.+0.j, 1.+0.j, 1.+0.j]", 4,
)  # fmt: skip
declare_fft(
    partial(from_real), "rfft",
    "The first n // 2 + 1 elements of `fft` of real numbers; the others are their conjugates.",
    "[1.0, 0.0, 0.0, 0.0]", "[1.+0.j, 1.+0.j, 1.+0.j]", 3,
)  # fmt: skip
declare_fft(
    partial(to_real), "irfft", "The inverse of `rfft`: real numbers.", "[4.0, 0.0, 0.0]", "[1., 1., 1., 1.]", 6,
)  # fmt: skip
declare_fft(
    partial(to_real, hermitian=True), "hfft",
    "The transform of numbers whose other half is their conjugates: real numbers.",
    "[1.0, 0.0, 0.0]", "[1., 1., 1., 1.]", 6,
)  # fmt: skip
declare_fft(
    partial(from_real, hermitian=True), "ihfft",
    "The inverse of `hfft`, of real numbers: the first n // 2 + 1 elements.",
    "[4.0, 0.0, 0.0, 0.0]", "[1.-0.j, 1.-0.j, 1.-0.j]", 3,
)  # fmt: skip
