"""Samples of convolutions, pooling and resampling."""

from itertools import chain
from types import SimpleNamespace

import numpy as np
from kernel_samples import Given, Sample, empty, indices, run_on_cpu, values


def convolutions(images, weights, stride=1, padding=0, dilation=1, groups=1, dtype="float32"):
    """Samples of a convolution and its derivatives: shapes, and one number or one for each dimension."""
    dims = len(images) - 2
    stride, padding, dilation = (
        one if isinstance(one, tuple) else (one,) * dims for one in (stride, padding, dilation)
    )
    sizes = zip(images[2:], weights[2:], stride, padding, dilation, strict=True)
    out = tuple((size + 2 * p - d * (taps - 1) - 1) // s + 1 for size, taps, s, p, d in sizes)
    made, geometry = (images[0], weights[0], *out), (stride, padding, dilation, groups)
    x, w, g = values(images, dtype, 1), values(weights, dtype, 2), values(made, dtype, 3)
    share = 1e-14 if dtype == "float64" else 2e-6
    name = "x".join(map(str, (*images, *stride, *padding, *dilation, groups)))
    for bias in (values(weights[:1], dtype, 4), None):
        yield Sample("conv2d", [x, w, bias], [empty(made, dtype)], (*geometry, out), share=share,
                     name=name + "-bias" * (bias is not None))  # fmt: skip
    yield Sample("conv2d_input", [g, w], [empty(images, dtype)], (*geometry, images[2:]), share=share, name=name)
    yield Sample("conv2d_weight", [g, x], [empty(weights, dtype)], (*geometry, weights[2:]), share=share, name=name)


CONVOLUTIONS = [
    sample
    for given in [
        ((2, 3, 9, 8), (5, 3, 3, 3), 1, 1),
        ((2, 4, 9, 8), (6, 2, 3, 2), 2, (1, 0), 1, 2),  # groups, a stride, asymmetric padding
        ((1, 20, 9, 8), (40, 20, 3, 3), 2, 1, 2),  # stride and dilation have a common divisor
        ((2, 3, 20, 17), (4, 3, 4, 3), (3, 2), 4, (2, 5)),  # and none; padding wider than the weights
        ((1, 4, 13, 8), (4, 1, 3, 3), 1, 1, 1, 4),  # depthwise
        ((2, 4, 13, 8), (8, 1, 5, 5), 3, 2, 2, 4),
        ((3, 40, 7, 7), (33, 40, 1, 1)),  # no window
        ((3, 4, 7, 7), (5, 4, 1, 1), 2),
        ((2, 3, 16, 16), (6, 3, 4, 4), 4),  # patches that do not overlap
        ((2, 3, 1, 9), (4, 3, 1, 3), 1, (0, 2)),  # a sequence
        ((2, 3, 5, 6, 7), (4, 3, 2, 3, 3), 2, 1),  # volumes
        ((2, 3, 5, 20, 7), (4, 3, 2, 3, 3), 7, 1, 3),
        ((1, 70, 30, 30), (70, 70, 3, 3), 1, 1),  # several tiles; k is split
        ((2, 4, 3, 3), (2, 4, 1, 1), 1000),
        ((0, 60, 3, 5), (60, 60, 3, 3), 1, 1),  # nothing to split, although k is large
        ((2, 0, 5, 6), (4, 0, 2, 3), 1, 1),
        ((1, 1, 1, 1), (1, 1, 1, 1)),
    ]
    for sample in convolutions(*given)
] + [*convolutions((2, 20, 9, 8), (24, 10, 3, 3), 2, 1, 1, 2, "float64")]


def pools(shape, size, kernel=None, stride=1, padding=0, dilation=1, dtype="float32"):
    """Samples of maxima of windows, their gradient and their elements; without `kernel` of adaptive windows."""
    made = (*shape[:-2], *size)
    numbers = (one if isinstance(one, tuple) else (one, one) for one in (kernel, stride, padding, dilation))
    geometry = None if kernel is None else tuple(numbers)
    name = f"{'x'.join(map(str, shape))}-{'adaptive' if kernel is None else kernel}"
    x = values(shape, dtype, 1, 2.0)
    if dtype != "int64":
        x.array.reshape(-1)[3::50] = np.nan
    forward = Sample("max_pool2d", [x], [empty(made, dtype), empty(made, "int64")], (geometry, size), name=name)
    yield forward
    if dtype == "int64":
        return
    index = Given(run_on_cpu(forward)[-1], "int64")
    g = values(made, dtype, 2)
    yield Sample("max_pool2d_pick", [x, index], [empty(made, dtype)], (None, size), name=name)
    back = empty(shape, dtype)
    if geometry is not None:
        yield Sample("max_pool2d_grad", [g, index], [back], (geometry, shape[-2:]), name=name)
    yield Sample("max_pool2d_grad", [g, index], [back], (None, shape[-2:]), name=f"{name}-anywhere")


def means(shape, size, kernel=None, stride=1, padding=0, counted=True, divisor=None, dtype="float32"):
    """Samples of means of windows and their gradient; without `kernel` of adaptive windows."""
    numbers = (one if isinstance(one, tuple) else (one, one) for one in (kernel, stride, padding))
    geometry, made = None if kernel is None else (*numbers, counted, divisor), (*shape[:-2], *size)
    name = f"{'x'.join(map(str, shape))}-{'adaptive' if kernel is None else kernel}-{counted}-{divisor}"
    yield Sample("avg_pool2d", [values(shape, dtype, 1)], [empty(made, dtype)], (geometry, size), name=name)
    yield Sample("avg_pool2d_grad", [values(made, dtype, 2)], [empty(shape, dtype)], (geometry, shape[-2:]), name=name)


POOLING = [
    *chain.from_iterable(pools(*given) for given in [
        ((2, 3, 9, 11), (4, 5), 3, 2),
        ((2, 3, 9, 11), (5, 6), 3, 2, 1),
        ((1, 2, 30, 20), (10, 9), (4, 3), (3, 2), (2, 1), (1, 2)),
        ((3, 8, 8), (3, 2), 2, 3),  # elements in no window; the last one ends beyond the border
        ((2, 7, 9), (3, 4)),
        ((2, 3, 2), (7, 4)),  # more windows than elements
        ((1, 40, 50), (1, 1), (40, 50)),
        ((0, 4, 4), (2, 2), 2, 2),
        ((4, 5, 6), (3, 4), 3, 1, 0, 1, "float64"),
        ((4, 5, 6), (3, 4), 3, 1, 0, 1, "int64"),
    ]),
    *chain.from_iterable(means(*given) for given in [
        ((2, 3, 9, 11), (5, 6), 3, 2, 1),
        ((2, 3, 9, 11), (5, 6), 3, 2, 1, False),
        ((2, 9, 12), (4, 4), (4, 5), (2, 3), (1, 2), True, -7),
        ((3, 8, 8), (3, 2), 2, 3),
        ((2, 2, 1200), (1, 3), (2, 700), (1, 250)),  # columns that the CPU adds in parts
        ((3, 5, 7), (1, 1)),
        ((5, 9, 20), (4, 1)),
        ((2, 3, 9, 11), (4, 5)),
        ((2, 3, 2), (7, 4)),
        ((0, 4, 4), (2, 2), 2, 2),
        ((3, 8, 9), (2, 1), (3, 9), (2, 1), (0, 0), True, None, "float64"),
    ]),
]  # fmt: skip


def windows(shape, size, strides, offset=0, shared=(), value=0, dtype="float32"):
    """Samples of the windows that strides select, and of arrays that have them in these places."""
    call = {"name": f"{'x'.join(map(str, shape))}-{strides}-{value}"}
    if value == 0:
        yield Sample(
            "windows", [values(shape, dtype, 1)], [empty(size, dtype)], (size, strides, offset, shared), **call
        )
    parameters = shape, strides, offset, shared, value
    yield Sample("inset", [values(size, dtype, 2, 5.0)], [empty(shape, dtype)], parameters, **call)
    yield Sample("inset", [transposed(values(size[::-1], dtype, 3, 5.0))], [empty(shape, dtype)], parameters,
                 name=f"{call['name']}-transposed")  # fmt: skip


def transposed(given):
    return Given(given.array.T, given.dtype)


DTYPES = ("bool", "uint8", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
WINDOWS = [
    *chain.from_iterable(windows(*given) for given in [
        ((3, 8), (2, 4), (8, 1), 10),  # padding
        ((3, 8), (2, 4), (8, 1), 10, (), -7),
        ((40,), (9, 4), (4, 1), 0, (1,)),  # windows that do not overlap, and that do
        ((40,), (10, 5), (3, 1), 2, (1,)),
        ((2, 3, 9, 8), (2, 3, 3, 3, 3, 3), (216, 72, 16, 2, 8, 1), 9, (4, 5)),  # of images
        ((7, 7), (7,), (8,)),  # a diagonal
        ((5, 6), (3, 5), (1, 6), 1),  # columns
        ((12,), (3, 0), (4, 1), 0, (1,)),
        ((0, 3), (0, 2), (3, 1)),
        ((), (), ()),
        ((2,) * 8, (2,) * 8, (128, 64, 32, 16, 8, 4, 2, 1)),
    ]),
    *chain.from_iterable(windows((30,), (9, 5), (3, 1), 1, (1,), 0, dtype) for dtype in DTYPES),
    *chain.from_iterable(windows((20,), (5,), (2,), 1, (), 1, dtype) for dtype in DTYPES),
]  # fmt: skip


def resampled(shape, dim, count, most, dtype="float32"):
    """Samples of a dimension multiplied by random rows, of `most` numbers or, if that is negative, of fewer."""
    generator = np.random.default_rng(count)
    widths = np.full(count, most) if most >= 0 else generator.integers(0, 1 - most, count)
    starts = np.concatenate([[0], np.cumsum(widths)])
    places = generator.integers(0, shape[dim], starts[-1]) if shape[dim] else np.zeros(0, int)
    matrix = SimpleNamespace(starts=starts, places=places, weights=generator.standard_normal(starts[-1]))
    made = (*shape[:dim], count, *shape[dim + 1 :])
    return Sample("resample", [values(shape, dtype, 1)], [empty(made, dtype)], (dim, matrix), name=f"{dim}-{most}")


def given_taps(images, channels, length, taps, count, dtype="float32"):
    """Samples of sums of elements at given places, some of which are outside, and of their derivatives."""
    places = indices((images, taps, count), length + 2, -2)
    x, w = values((images, channels, length), dtype, 1), values((images, taps, count), dtype, 2)
    g, name = values((images, channels, count), dtype, 3), f"{length}x{taps}"
    yield Sample("gather_taps", [x, w, places], [empty(g.array.shape, dtype)], name=name)
    yield Sample("scatter_taps", [g, w, places], [empty(x.array.shape, dtype)], (length,), name=name)
    yield Sample("weigh_taps", [g, x, places], [empty(w.array.shape, dtype)], name=name)


TAPS = [
    *(resampled((3, 7, 5), dim, count, most) for dim, count in [(0, 4), (1, 20), (2, 3)] for most in (1, 2, 4, -6)),
    resampled((9, 40), 1, 300, 2, "float64"),
    resampled((0, 5), 1, 7, 2),
    resampled((5, 0), 0, 7, 2),
    resampled((5, 3), 0, 0, 2),
    *chain.from_iterable(given_taps(*one) for one in [
        (2, 3, 20, 4, 30), (1, 9, 300, 2, 40), (3, 1, 2, 1, 500), (2, 5, 7, 3, 4, "float64"), (0, 3, 5, 2, 4),
        (2, 3, 5, 2, 0), (2, 3, 0, 2, 4), (2, 0, 3, 2, 4)]),
]  # fmt: skip
SPATIAL = [*CONVOLUTIONS, *POOLING, *WINDOWS, *TAPS]
