"""Samples of operators along lines: scans, sorts, searches."""

import numpy as np
from kernel_samples import Given, Sample, empty, values

ALL = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
SCANNED = ("int64", *FLOATS, "complex64", "complex128")


def whole(shape, dtype, seed=0, scale=2.0):
    """Return small whole numbers, whose sums are exact in every order."""
    found = np.round(values(shape, "float64", seed, scale).array)
    return converted(found, dtype)


def signs(shape, dtype, seed=0):
    """Return numbers whose products are exact in every order: units, and a few other powers of two."""
    random = np.random.default_rng(seed)
    if dtype.startswith("complex"):
        return Given(np.asarray(random.choice([1, -1, 1j, -1j], shape), dtype), dtype)
    found = random.choice([1.0, -1.0], shape)
    where = random.random(shape) < 4 / max(1, shape[-1] if shape else 1)
    return converted(np.where(where, random.choice([2.0, 0.5], shape), found), dtype)


def converted(numbers, dtype):
    """Return numbers as elements of a dtype."""
    numbers = np.asarray(numbers)
    if dtype == "float16":
        return Given(numbers.astype(np.float16).view(np.uint16), dtype)
    if dtype == "bfloat16":
        return Given((numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16), dtype)
    if dtype == "bool":
        return Given((numbers > 0).astype(np.uint8), dtype)
    if dtype.startswith("complex"):
        return Given((numbers + 1j * np.roll(numbers, 1)).astype(dtype), dtype)
    with np.errstate(invalid="ignore"):
        return Given(numbers.astype(dtype), dtype)


def special(shape, dtype, seed=0):
    """Return small whole numbers with NaN, infinities and zeros of both signs among them."""
    found = np.round(values(shape, "float64", seed, 2.0).array)
    if dtype in FLOATS and found.size:
        places = np.random.default_rng(seed).integers(0, found.size, max(1, found.size // 50))
        found.reshape(-1)[places] = np.resize([-0.0, np.nan, np.inf, -np.inf, -0.0], places.shape)
    return converted(found, dtype)


def view(given, *axes):
    return Given(given.array.transpose(axes), given.dtype)


def scans(shape, dim, dtype, *operators, backwards=False, view=lambda given: given):
    """Samples of scans whose results have the CPU's bits, but for sums of logarithms."""
    name = f"{dim}-backwards" if backwards else str(dim)
    for operator in operators or ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "recurrence"):
        if operator in ("cummax", "cummin"):
            if dtype in ALL:
                outputs = [empty(shape, dtype), empty(shape, "int64")]
                yield Sample(operator, [view(special(shape, dtype, 1))], outputs, (dim, backwards), name=name)
        elif operator == "logcumsumexp":
            if dtype in FLOATS[2:]:
                yield Sample(operator, [view(values(shape, dtype, 1, 3))], [empty(shape, dtype)], (dim, backwards),
                             ulp=1, name=name)  # fmt: skip
        elif dtype in SCANNED:
            given = signs(shape, dtype, 1) if operator == "cumprod" else whole(shape, dtype, 1)
            factors = [view(signs(shape, dtype, 2))] if operator == "recurrence" else []
            yield Sample(operator, [*factors, view(given)], [empty(shape, dtype)], (dim, backwards), name=name)


def rounded_scans(shape, dim, dtype):
    """Samples of sums that depend on their order."""
    yield Sample("cumsum", [values(shape, dtype, 1, 3)], [empty(shape, dtype)], (dim, False), ulp=1, name="rounded")
    yield Sample("cumprod", [values(shape, dtype, 1, 0.1, 1)], [empty(shape, dtype)], (dim, False), ulp=1,
                 name="rounded")  # fmt: skip


def reversed_axes(given):
    """Return a view with the axes in the order of their steps reversed."""
    return Given(np.ascontiguousarray(given.array.transpose()).transpose(), given.dtype)


SCANS = [
    *(one for dtype in (*ALL, "complex64", "complex128") for one in scans((3, 70, 5), 1, dtype)),
    *(one for dtype in ("int64", "float32", "float16", "complex128") for one in scans((2, 1100), 1, dtype)),
    *(one for shape, dim in [((3, 20_000), 1), ((20_000, 2), 0), ((9000, 40), 0), ((70_000,), 0), ((1,), 0), ((), 0),
                             ((0, 3), 0), ((3, 0, 2), 1), ((2, 0, 2), 1), ((2, 3, 4, 1, 5, 2, 3, 2), 4)]
      for one in scans(shape, dim, "float32")),
    *(one for shape, dim in [((3, 70, 5), 1), ((3, 20_000), 1), ((9000, 40), 0), ((), 0)]
      for one in scans(shape, dim, "float64", backwards=True)),
    *(one for shape, dim in [((3, 700, 5), 1), ((300, 50), 0)]
      for one in scans(shape, dim, "float32", view=reversed_axes)),
    *(one for shape, dim in [((3, 20_000), 1), ((9000, 40), 0)] for dtype in FLOATS[2:]
      for one in rounded_scans(shape, dim, dtype)),
]  # fmt: skip
