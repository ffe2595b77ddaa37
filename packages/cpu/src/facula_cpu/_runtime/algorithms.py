"""The algorithm of convolutions: a setting of the process."""

from __future__ import annotations

import os
from typing import Literal

from facula_errors import InvalidValueError
from facula_errors.extend import boundary
from facula_storage.extend.plans import forget_plans

Algorithm = Literal["fast", "direct"]
ALGORITHMS: tuple[Algorithm, ...] = ("fast", "direct")
VARIABLE = "FACULA_CPU_CONVOLUTION"

_chosen: list[Algorithm] = []  # empty until the first use, because imports do not read the environment


def get_convolution_algorithm() -> Algorithm:
    """Return the algorithm of convolutions on the CPU: "fast" or "direct".

    It is that of `set_convolution_algorithm`, else of the environment variable FACULA_CPU_CONVOLUTION, else "fast".
    ValueError if the variable has another value.

    >>> get_convolution_algorithm() in ("fast", "direct")
    True
    """
    if not _chosen:
        wish = os.environ.get(VARIABLE) or ALGORITHMS[0]
        _chosen.append(check_algorithm("get_convolution_algorithm", wish, f"the environment variable {VARIABLE}"))
    return _chosen[0]


@boundary
def set_convolution_algorithm(algorithm: Algorithm) -> None:
    """Select how convolutions of float32 are computed on the CPU.

    Arguments:
        algorithm: "fast" computes convolutions of 3 x 3 and 5 x 5 weights with stride 1, dilation 1 and at least 16
            channels and filters in each group by Winograd's algorithm, if images are not very small. "direct" adds up
            all products.

    Winograd's algorithm takes a quarter to a half of the time. It adds intermediate results of different magnitudes:
    errors (root mean square, as a fraction of that of the results) are about 1e-6, and 3e-7 for direct sums. An
    infinity or NaN in an image makes all results of its tiles NaN: 4 x 4 pixels, or 2 x 2 for 5 x 5 weights. All plans
    are created again, and captured functions are recorded again.

    Raises ValueError for another name. A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, 2016.

    >>> before = get_convolution_algorithm()
    >>> set_convolution_algorithm("direct")
    >>> get_convolution_algorithm()
    'direct'
    >>> set_convolution_algorithm(before)
    """
    checked = check_algorithm("set_convolution_algorithm", algorithm)
    if _chosen != [checked]:
        _chosen[:] = [checked]
        forget_plans()


def check_algorithm(operation: str, name: object, argument: str = "algorithm") -> Algorithm:
    """Return the name of an algorithm; ValueError for other values."""
    for algorithm in ALGORITHMS:
        if name == algorithm:
            return algorithm
    raise InvalidValueError(f"{operation}: expected {argument} to be one of {', '.join(ALGORITHMS)}; got {name!r:.60}")
