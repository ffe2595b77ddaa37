"""Convolutions with further steps have the bits of separate launches."""

import numpy as np
import pytest
from kernel_helpers import compute

from facula_cpu import set_num_threads
from facula_errors import UnsupportedError
from facula_errors.testing import raises

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1.0, 2.0])
HALVES = (2, 2), (2, 2), (0, 0), (1, 1)
# images, channels, height, width, filters, taps, padding, stride, groups
CASES = {
    "Winograd": (2, 16, 14, 14, 33, 3, 1, 1, 1),
    "Winograd, odd": (2, 40, 13, 11, 33, 3, 1, 1, 1),
    "Winograd, 5 x 5": (2, 32, 11, 7, 64, 5, 2, 1, 1),
    "Winograd, groups": (2, 32, 20, 44, 48, 3, 1, 1, 2),
    "shallow": (2, 3, 33, 34, 5, 3, 1, 1, 1),
    "shallow, joined": (1, 8, 5, 5, 16, 3, 1, 1, 1),
    "shallow, strides": (2, 3, 31, 64, 5, 3, 1, 2, 1),
    "shallow, blocks": (1, 3, 100, 100, 8, 3, 1, 1, 1),
    "depthwise": (3, 1, 28, 29, 17, 3, 1, 1, 1),
    "depthwise, groups": (2, 6, 13, 12, 6, 3, 0, 1, 6),
    "depthwise, blocks": (2, 1, 90, 60, 5, 3, 1, 1, 1),
    "depthwise, strides": (2, 4, 41, 40, 4, 3, 1, 2, 4),
}


def operands(images, channels, height, width, filters, taps, padding, stride, groups, dtype, special):
    """Return the arrays, the size of the results, and the parameters."""
    rng = np.random.default_rng(0)
    shape = images, channels, height, width
    x = (rng.choice(SPECIAL, shape) if special else rng.standard_normal(shape)).astype(dtype)
    w = rng.standard_normal((filters, channels // groups, taps, taps)).astype(dtype)
    size = tuple((length + 2 * padding - taps) // stride + 1 for length in shape[2:])
    bias = rng.standard_normal(filters).astype(dtype)
    return (x, w, bias), size, ((stride, stride), (padding, padding), (1, 1), groups, size)


def expect(arrays, size, parameters, steps):
    """Return the results of separate launches."""
    x, w, bias, *norm = arrays
    made = compute("conv2d", (x, w, bias), (np.empty((len(x), len(w), *size), x.dtype),), parameters)
    if norm:
        made = compute("batch_norm_eval", (made, *norm), (np.empty_like(made),), (), (steps[0][1],))
    if "max_pool2d" in steps:
        half = tuple(length // 2 for length in size)
        made = compute("max_pool2d_values", (made,), (np.empty((*made.shape[:2], *half), x.dtype),), (HALVES, half))
    return compute("relu", (made,), (np.empty_like(made),)) if "relu" in steps else made


def normalized(arrays, special):
    """Return operands with those of batch normalization after them: without weight and bias, if `special`."""
    rng = np.random.default_rng(1)
    filters, dtype = len(arrays[2]), arrays[0].dtype
    weight, bias, mean, variance = (rng.standard_normal(filters).astype(dtype) for _ in range(4))
    return (*arrays, *((None, None) if special else (weight, bias)), mean, abs(variance))


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_bits_of_steps(case, norm, special):
    computed = 0
    for dtype in ("f4", "f8"):
        arrays, size, parameters = operands(*CASES[case], dtype, special)
        chains = (("relu",), ("max_pool2d",), ("max_pool2d", "relu"))
        if norm:
            arrays = normalized(arrays, special)
            chains = [(("batch_norm", 1e-5), *steps) for steps in ((), *chains)]
        for steps in chains:
            wanted = expect(arrays, size, parameters, steps)
            for threads in (1, 3):
                set_num_threads(threads)
                try:
                    made = compute("conv2d_then", arrays, (np.full_like(wanted, 7),), (*parameters, steps))
                except UnsupportedError:
                    continue  # at float64, for example
                finally:
                    set_num_threads(1)
                made[np.isnan(made)] = wanted[np.isnan(wanted)] = np.nan  # their signs may differ
                assert made.tobytes() == wanted.tobytes()
                computed += 1
    assert computed >= 6


def test_other_kernels():
    """Products compute no further steps."""
    arrays, size, parameters = operands(2, 64, 20, 20, 8, 1, 0, 1, 1, "f4", False)
    with raises(UnsupportedError, "conv2d_then", "the CPU has no kernel"):
        compute("conv2d_then", arrays, (np.empty((2, 8, *size), "f4"),), (*parameters, ("relu",)))
