"""Named scalars of an optimizer step, in the order in which the kernels read them.

The fields of each class have the order of the kernels' enumeration (`csrc/optimizers/optimizer_numbers.h`,
`csrc/optimizers/adafactor_numbers.h`); a test compares the two. All steps use
``sign * gradient + decay * parameter`` as the gradient. `shrink` multiplies the parameter (decoupled decay).
"""

from __future__ import annotations

from typing import NamedTuple


class SgdNumbers(NamedTuple):
    """buffer = keep * buffer + take * d; the step subtracts rate times d, the buffer, or d + ahead * buffer."""

    rate: float
    decay: float
    sign: float
    keep: float = 0.0
    take: float = 1.0
    ahead: float = 0.0


class AdamNumbers(NamedTuple):
    """`first` and `second` are the decay factors of the two moments."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    shrink: float
    sign: float


class RmspropNumbers(NamedTuple):
    """`share` is the decay factor of the mean square, `keep` that of the momentum."""

    rate: float
    share: float
    epsilon: float
    decay: float
    sign: float
    keep: float


class AdadeltaNumbers(NamedTuple):
    """`share` is the decay factor of both running means."""

    rate: float
    share: float
    epsilon: float
    decay: float
    sign: float


class AdagradNumbers(NamedTuple):
    """`slower` is the increment of the rate's divisor in each step."""

    rate: float
    slower: float
    epsilon: float
    decay: float
    sign: float


class AdamaxNumbers(NamedTuple):
    """`first` and `second` are the decay factors of the mean and of the maximum."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    sign: float


class NadamNumbers(NamedTuple):
    """Adam's scalars, and `warming`, the factor's growth in the mean from step to step."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    shrink: float
    sign: float
    warming: float


class RadamNumbers(NamedTuple):
    """Adam's scalars."""

    rate: float
    first: float
    second: float
    epsilon: float
    decay: float
    shrink: float
    sign: float


class AsgdNumbers(NamedTuple):
    """Eta decreases as rate / (1 + lambda * rate * step) ** power; averaging begins at `start`."""

    rate: float
    lambda_: float
    power: float
    start: float
    decay: float
    sign: float


class RpropNumbers(NamedTuple):
    """A step size is multiplied by `grow` or `cut`, and stays between `least` and `most`."""

    cut: float
    grow: float
    least: float
    most: float
    sign: float


class AdafactorNumbers(NamedTuple):
    """A negative `smallest` stands for the rounding unit of the dtype."""

    rate: float
    decay: float
    smallest: float
    least: float
    most: float
    shrink: float
    sign: float
