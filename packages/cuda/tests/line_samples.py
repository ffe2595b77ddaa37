"""Samples of operators along lines: scans, sorts, searches."""

import numpy as np
from kernel_samples import Given, Sample, empty, indices, values

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


def sorts(shape, dim, dtype, *operators, ks=(1, 3, 40), view=lambda given: given):
    """Samples of sorts and of elements of some ranks."""
    a, length = view(special(shape, dtype, 1)), shape[dim] if shape else 1
    one = tuple([1 if d == dim % len(shape) else n for d, n in enumerate(shape)])

    def sample(operator, of_result, *parameters, name=""):
        if not operators or operator in operators:
            outputs = [empty(of_result, dtype), empty(of_result, "int64")]
            yield Sample(operator, [a], outputs, parameters, name=f"{dim}{name and '-'}{name}")

    yield from sample("sort", shape, dim, False)
    yield from sample("sort", shape, dim, True, name="descending")
    for k in ks:
        if k <= length:
            some = tuple([k if d == dim % len(shape) else n for d, n in enumerate(shape)])
            yield from sample("topk", some, k, dim, k != 3, True, name=str(k))
            yield from sample("kthvalue", one, dim, k, name=str(k))
    if length:
        for operator in ("median_dim", "nanmedian_dim", "mode"):
            yield from sample(operator, one, dim)


def whole_lines_of_nan(dtype):
    """Samples of medians of lines that have only NaN, some, or none."""
    a = special((4, 9), dtype, 2)
    nan = {"float16": 0x7E01, "bfloat16": 0xFFC1}.get(dtype, np.nan)
    a.array[0], a.array[1, ::3], a.array[2] = nan, nan, np.arange(9)
    for operator in ("median_dim", "nanmedian_dim", "mode", "kthvalue"):
        yield Sample(
            operator,
            [a],
            [empty((4, 1), dtype), empty((4, 1), "int64")],
            (1, 7)[: 1 + (operator == "kthvalue")],
            name="nan",
        )


def searches(shape, count, dtype, right, view=lambda given: given):
    """A sample of a search in sorted lines."""
    lines = special(shape, dtype, 1)
    numbers = lines.array if dtype != "bfloat16" else (lines.array.astype(np.uint32) << 16).view(np.float32)
    numbers = numbers.view(np.float16) if dtype == "float16" else numbers
    order = np.argsort(numbers, axis=-1, kind="stable")
    lines = Given(np.take_along_axis(lines.array, order, -1), dtype)
    wanted = (*shape[:-1], count)
    return Sample(
        "search_sorted",
        [view(lines), view(special(wanted, dtype, 2))],
        [empty(wanted, "int64")],
        (right,),
        name=str(right),
    )


def permutations(shape, rows, dtype="int32"):
    pivots = np.random.default_rng(1).integers(1, rows + 1, shape).astype(dtype)
    return Sample("permutation_of", [Given(pivots, dtype)], [empty((*shape[:-1], rows, rows), "float32")], (rows,))


def wide_elements(shape, dim, length, dtype):
    """Samples of operators that index elements by an index that is the same for all elements of a slice."""
    of_index = tuple([length if d == dim else n for d, n in enumerate(shape)])
    one = indices([length if d == dim else 1 for d in range(len(shape))], shape[dim])
    index = Given(np.broadcast_to(one.array, of_index), "int64")
    array, several = values(shape, dtype, 1, 5), values(of_index, dtype, 2, 5)
    yield Sample("gather", [array, index], [empty(of_index, dtype)], (dim,), name="wide")
    yield Sample("gather_back", [several, index], [empty(shape, dtype)], (shape, dim), name="wide")
    for mode in ("set", "sum", "amin"):
        yield Sample("scatter", [index, several], [array], (dim, mode), name=f"{mode}-wide")
        yield Sample("scatter_copy", [array, index, several], [empty(shape, dtype)], (dim, mode), name=f"{mode}-wide")


UNSIGNED = ("uint16", "uint32", "uint64")
SORTS = [
    *(one for dtype in (*ALL, *UNSIGNED) for one in sorts((3, 70, 4), 1, dtype, "sort", "median_dim", "mode")),
    *(one for dtype in (*ALL, *UNSIGNED) for one in sorts((1100,), 0, dtype, "sort", ks=())),
    *(one for dtype in ("float64", "float32") for one in sorts((2, 2100), 1, dtype, ks=(1, 40))),
    *(one for shape, dim in [((1,), 0), ((1, 0), 1), ((0, 3), 0), ((0, 3), 1), ((3, 1024), 1), ((2000, 3), 1),
                             ((70, 2, 3), 0), ((2, 2, 1, 3, 2, 3, 2, 2), 3)]
      for one in sorts(shape, dim, "float32", ks=(0, 1, 3))),
    *(one for one in sorts((2, 1100, 2), 1, "int16", ks=(40,), view=reversed_axes)),
    *(one for dtype in FLOATS for one in whole_lines_of_nan(dtype)),
    *(searches((3, 200), 77, dtype, right) for dtype in ALL for right in (False, True)),
    *(searches(shape, count, "float32", False) for shape, count in [((5,), 0), ((0,), 5), ((1,), 1), ((4, 1, 9), 300)]),
    searches((6, 50), 30, "float64", True, reversed_axes),
    *(permutations(shape, rows) for shape, rows in [((5,), 5), ((3, 2, 4), 7), ((0, 3), 3), ((2, 0), 3)]),
    permutations((300,), 300),
]  # fmt: skip
WIDE = [*wide_elements((5, 20), 0, 30, "float32"), *wide_elements((2, 6, 9), 1, 40, "bfloat16")]
LINES = [*SCANS, *SORTS, *WIDE]
