"""The numbers of a launch of an optimizer's step: names for what the kernels read by place.

In each class the fields stand in the order of the kernels' own enumeration (`csrc/optimizers/optimizer_numbers.h`,
`csrc/optimizers/adafactor_numbers.h`); a test compares the two. In all of them ``sign * gradient + decay * parameter``
is what the step is taken of, and `shrink` multiplies the parameter (decoupled decay).
"""

from __future__ import annotations

from typing import NamedTuple


class SgdNumbers(NamedTuple):
    """buffer = keep * buffer + take * d; the parameter loses rate times d, the buffer, or d + ahead * buffer."""

    rate: float
    decay: float
    sign: float
    keep: float = 0.0
    take: float = 1.0
    ahead: float = 0.0


class AdamNumbers(NamedTuple):
    """`first` and `second` are the factors of the two moments."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    shrink: float
    sign: float


class RmspropNumbers(NamedTuple):
    """`share` is the factor of the mean of squares, `keep` that of the momentum."""

    rate: float
    share: float
    epsilon: float
    decay: float
    sign: float
    keep: float


class AdadeltaNumbers(NamedTuple):
    """`share` is the factor of both running means."""

    rate: float
    share: float
    epsilon: float
    decay: float
    sign: float


class AdagradNumbers(NamedTuple):
    """`slower` is by how much the rate's divisor grows with each step."""

    rate: float
    slower: float
    epsilon: float
    decay: float
    sign: float


class AdamaxNumbers(NamedTuple):
    """`first` and `second` are the factors of the mean and of the greatest."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    sign: float


class NadamNumbers(NamedTuple):
    """Adam's; `warming` is by how much the mean's factor grows from step to step."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    shrink: float
    sign: float
    warming: float


class RadamNumbers(NamedTuple):
    """Adam's."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    shrink: float
    sign: float


class AsgdNumbers(NamedTuple):
    """Eta falls as rate / (1 + lambda * rate * step) ** power; averaging begins at `start`."""

    rate: float
    lambda_: float
    power: float
    start: float
    decay: float
    sign: float


class RpropNumbers(NamedTuple):
    """A step size grows by `grow`, shrinks by `cut`, and stays from `least` to `most`."""

    cut: float
    grow: float
    least: float
    most: float
    sign: float


class AdafactorNumbers(NamedTuple):
    """A `smallest` below 0 stands for the rounding of the dtype."""

    rate: float
    decay: float
    smallest: float
    least: float
    most: float
    shrink: float
    sign: float
