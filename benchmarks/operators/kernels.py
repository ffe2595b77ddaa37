"""CPU kernels: functions of many elements, sums along short rows, transposing copies. One thread.

The rows are calls as users write them. Results are small enough for the caches, so that arithmetic counts, not
memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from ..libraries import Rows, numbers
from ..measure import Loop

rows = Rows()
LENGTH = 1 << 20


def row(name: str, target: float, make: Callable[[Any], tuple], call: Callable[..., Any]) -> None:
    """Add a row: `make(F)` returns the operands, and `call(F, *operands)` is timed."""

    def setup(F: Any) -> Loop:
        operands = make(F)

        def loop(times):
            for _ in times:
                call(F, *operands)

        return loop

    rows.row(name, target)(setup)


def normal(F: Any, *shape: int, dtype: str = "float32") -> Any:
    """Return numbers around 0, mostly between -6 and 6."""
    x = (np.random.default_rng(shape).standard_normal(shape) * 2).astype("f4")
    return F.from_numpy(x).clone().to(getattr(F, dtype))


def positive(F: Any, *shape: int, dtype: str = "float32") -> Any:
    """Return numbers between 0.1 and 4.1."""
    return F.from_numpy(numbers(*shape) * 4 + np.float32(0.1)).to(getattr(F, dtype))


# ------------------------------------------------------------------------------------------- functions of one element
LOOSE = 1.0  # functions that PyTorch implements itself
TIGHT = 0.8
UNARY = (
    ("exp", TIGHT), ("expm1", TIGHT), ("log", TIGHT), ("log1p", TIGHT), ("sin", TIGHT), ("cos", TIGHT), ("tanh", TIGHT),
    ("sigmoid", TIGHT), ("erf", TIGHT), ("sqrt", TIGHT), ("rsqrt", TIGHT), ("reciprocal", TIGHT),
)  # fmt: skip
ACTIVATIONS = (("silu", LOOSE), ("softplus", LOOSE), ("logsigmoid", TIGHT), ("elu", TIGHT))


def unary(name: str, target: float, function: Callable[..., Any]) -> None:
    """Add rows of the function of 1M elements of either type, and of every second element."""
    make = positive if name in ("log", "log1p", "sqrt", "rsqrt") else normal
    row(f"{name}(x), 1M", target, lambda F: (make(F, LENGTH),), function)
    row(f"{name}(x), 1M float64", target, lambda F: (make(F, LENGTH, dtype="float64"),), function)
    row(f"{name}(x[::2]), 1M", target, lambda F: (make(F, 2 * LENGTH)[::2],), function)


for name, target in UNARY:
    unary(name, target, lambda F, x, name=name: getattr(F, name)(x))
for name, target in ACTIVATIONS:
    unary(name, target, lambda F, x, name=name: getattr(F.nn.functional, name)(x))
for kind in ("none", "tanh"):
    unary(f"gelu {kind}", LOOSE, lambda F, x, kind=kind: F.nn.functional.gelu(x, approximate=kind))


def backward(F: Any, x: Any, g: Any, function: Callable[..., Any]) -> None:
    """Run forward and backward, and discard the gradient."""
    function(F, x).backward(g)
    x.grad = None


def gradient(name: str, function: Callable[..., Any], target: float = LOOSE) -> None:
    """Add the function and its gradient, of 1M elements."""

    def make(F: Any) -> tuple:
        return normal(F, LENGTH).requires_grad_(), normal(F, LENGTH)

    row(f"{name}, 1M, forward and backward", target, make, lambda F, x, g: backward(F, x, g, function))


for kind in ("none", "tanh"):
    gradient(f"gelu {kind}", lambda F, x, kind=kind: F.nn.functional.gelu(x, approximate=kind))
for name in ("silu", "softplus", "logsigmoid", "elu"):
    gradient(name, lambda F, x, name=name: getattr(F.nn.functional, name)(x))
for name in ("sigmoid", "tanh"):
    gradient(name, lambda F, x, name=name: getattr(F, name)(x))

# -------------------------------------------------------------------------------------------- functions of two elements
for dtype in ("float32", "float64"):
    row(
        f"pow(x, y), 1M {dtype}",
        TIGHT,
        lambda F, dtype=dtype: (positive(F, LENGTH, dtype=dtype), normal(F, LENGTH, dtype=dtype)),
        lambda F, x, y: F.pow(x, y),
    )
    for exponent in (0.5, -0.5, -1, 2, 3, 2.5):
        row(
            f"x ** {exponent}, 1M {dtype}",
            TIGHT,
            lambda F, dtype=dtype: (positive(F, LENGTH, dtype=dtype),),
            lambda F, x, exponent=exponent: x**exponent,
        )
    for name in ("fmod", "remainder", "floor_divide"):
        row(
            f"{name}(x, y), 1M {dtype}",
            TIGHT,
            lambda F, dtype=dtype: (normal(F, LENGTH, dtype=dtype), positive(F, LENGTH, dtype=dtype)),
            lambda F, x, y, name=name: getattr(F, name)(x, y),
        )

# --------------------------------------------------------------------------------------------------------- reductions
SHAPES = (
    ((1_000_000, 4), 1), ((100_000, 16), 1), ((30_000, 33), 1), ((4096, 256), 1), ((1024, 1024), 1), ((1024, 1024), 0),
    ((64, 128, 128), 1), ((32, 1000, 8), 1), ((1_000_000, 3), 0), ((256, 64, 56), (0, 2)), ((1 << 20,), 0),
)  # fmt: skip
REDUCTIONS = ("sum", "mean", "prod", "amax", "amin", "argmax", "max", "any", "all", "softmax", "log_softmax", "norm")


def reduction(name: str, shape: tuple[int, ...], dim: Any, dtype: str = "float32") -> None:
    """Add one reduction along a dimension."""

    def call(F: Any, x: Any) -> Any:
        return getattr(x, name)(dim)

    def norm(F: Any, x: Any) -> Any:
        return (x * x).sum(dim).sqrt()

    def make(F: Any) -> tuple:
        x = normal(F, *shape)
        return (x > 0 if dtype == "bool" else x.to(getattr(F, dtype)),)

    named = f"x.{name}({dim}), {'×'.join(map(str, shape))}{'' if dtype == 'float32' else ' ' + dtype}"
    row(named, LOOSE, make, norm if name == "norm" else call)


for shape, dim in SHAPES:
    for name in REDUCTIONS:
        if isinstance(dim, tuple) and name not in ("sum", "mean", "amax", "amin"):
            continue
        if name in ("softmax", "log_softmax") and shape[0] == LENGTH:
            continue
        reduction(name, shape, dim, "bool" if name in ("any", "all") else "float32")
    for dtype in ("float64", "bfloat16", "int64"):
        reduction("sum", shape, dim, dtype)


def normalised(name: str, shape: tuple[int, ...], count: int, channels: int) -> None:
    """Add a fused normalization with its gradients."""

    def make(F: Any) -> tuple:
        x, g = normal(F, *shape).requires_grad_(), normal(F, *shape)
        affine = [F.ones(channels).requires_grad_() for _ in range(1 if name == "rms_norm" else 2)]
        return x, affine, g

    def call(F: Any, x: Any, affine: list, g: Any) -> None:
        getattr(F.nn.functional, name)(x, count if name == "group_norm" else (count,), *affine).backward(g)
        for one in (x, *affine):
            one.grad = None

    target = 0.7 if name == "layer_norm" else TIGHT
    row(f"{name} with gradients, {'×'.join(map(str, shape))}", target, make, call)


normalised("layer_norm", (4096, 1024), 1024, 1024)
normalised("rms_norm", (4096, 1024), 1024, 1024)
normalised("group_norm", (32, 64, 32, 32), 8, 64)


def softmax(name: str, shape: tuple[int, ...], dim: int, dtype: str) -> None:
    """Add softmax or its logarithm along a dimension, and its gradient alone, for a retained graph."""

    def make(F: Any) -> tuple:
        return (normal(F, *shape, dtype=dtype),)

    def make_graph(F: Any) -> tuple:
        x = normal(F, *shape, dtype=dtype).requires_grad_()
        return x, getattr(x, name)(dim), normal(F, *shape, dtype=dtype)

    def gradient(F: Any, x: Any, result: Any, g: Any) -> None:
        result.backward(g, retain_graph=True)
        x.grad = None

    sizes = "×".join(map(str, shape)) + ("" if dtype == "float32" else " " + dtype)
    if dtype != "float32":
        row(f"x.{name}({dim}), {sizes}", LOOSE, make, lambda F, x: getattr(x, name)(dim))
    row(f"x.{name}({dim}), {sizes}, backward", LOOSE, make_graph, gradient)


for shape, dim in (SHAPES[1], SHAPES[2], ((10_000, 100), 1), ((20_000, 7), 1), SHAPES[7], ((300_000, 3), 0)):
    for name in ("softmax", "log_softmax"):
        for dtype in ("float32", "float64", "float16", "bfloat16"):
            softmax(name, shape, dim, dtype)


# -------------------------------------------------------------------------------------------------- attention
def attention(shape: tuple[int, ...], target: float, is_causal: bool = False) -> None:
    """Add scaled dot product attention of (batch, heads, length, width), alone and with its gradient."""

    def make(F: Any) -> tuple:
        return tuple(normal(F, *shape).requires_grad_() for _ in range(3))

    def forward(F: Any, *operands: Any) -> Any:
        with F.no_grad():
            return F.nn.functional.scaled_dot_product_attention(*operands, is_causal=is_causal)

    def both(F: Any, *operands: Any) -> None:
        F.nn.functional.scaled_dot_product_attention(*operands, is_causal=is_causal).sum().backward()
        for one in operands:
            one.grad = None

    sizes = "×".join(map(str, shape)) + (" causal" if is_causal else "")
    row(f"attention, {sizes}", target, make, forward)
    row(f"attention, {sizes}, and backward", target, make, both)


attention((1, 8, 1024, 64), 1.0)
attention((4, 8, 1024, 64), 1.0)
attention((1, 8, 1024, 64), 1.0, is_causal=True)
attention((8, 8, 32, 64), LOOSE)

# ------------------------------------------------------------------------------------------------ whole lines
LINES = (
    ("x.sort()", lambda F, x: x.sort()), ("x.sort(descending=True)", lambda F, x: x.sort(descending=True)),
    ("x.topk(10)", lambda F, x: x.topk(10)), ("x.topk(n/4)", lambda F, x: x.topk(len(x) // 4)),
    ("x.cumsum(0)", lambda F, x: x.cumsum(0)), ("x.cummax(0)", lambda F, x: x.cummax(0)),
    ("x.median()", lambda F, x: x.median()), ("x.unique()", lambda F, x: x.unique()),
)  # fmt: skip
for length in (1000, LENGTH):
    for named, call in LINES:
        row(f"{named}, {length}", 1.2, lambda F, length=length: (normal(F, length),), call)
    for named in ("var", "std", "norm"):
        row(
            f"x.{named}(), {length}",
            1.0,
            lambda F, length=length: (normal(F, length),),
            lambda F, x, named=named: getattr(x, named)(),
        )
for dim in (0, 1):
    for named in ("cumsum", "sort", "var", "logsumexp"):
        row(
            f"x.{named}({dim}), 1024×1024",
            1.2,
            lambda F: (normal(F, 1024, 1024),),
            lambda F, x, named=named, dim=dim: getattr(x, named)(dim),
        )

# -------------------------------------------------------------------------------------------------- special functions
ON_UNIT = ("erfinv", "logit", "nan_to_num", "special.ndtri")  # of numbers from 0 to 1; others of numbers from 0 to 8
for named in (*ON_UNIT, "lgamma", "digamma", "erfc", "exp2", "sinc", "i0", "special.erfcx", "special.log_ndtr"):
    row(
        f"{named}(x), 1M",
        1.0,
        lambda F, named=named: (F.rand(LENGTH) * (1 if named in ON_UNIT else 8),),
        lambda F, x, named=named: reduce(getattr, named.split("."), F)(x),
    )

# ---------------------------------------------------------------------------------- linear algebra, Fourier transforms
MATRICES = (  # LAPACK's speed depends on NumPy's build: the targets state the present figures, not possible ones
    ("solve_triangular", 1.0, lambda F, x, spd: F.linalg.solve_triangular(spd, x, upper=False)),
    ("cholesky", 1.5, lambda F, x, spd: F.linalg.cholesky(spd)), ("inv", 1.2, lambda F, x, spd: F.linalg.inv(spd)),
    ("solve", 1.2, lambda F, x, spd: F.linalg.solve(spd, x)), ("det", 1.5, lambda F, x, spd: F.linalg.det(spd)),
    ("eigh", 2.5, lambda F, x, spd: F.linalg.eigh(spd)), ("svd", 2.5, lambda F, x, spd: F.linalg.svd(x)),
)  # fmt: skip


def square_and_definite(F: Any) -> tuple:
    """Return a matrix, and a positive definite one."""
    x = normal(F, 128, 128)
    return x, x @ x.T / 128 + F.eye(128)


for named, target, call in MATRICES:
    row(f"linalg.{named}, 128×128", target, square_and_definite, call)
for named in ("fft", "rfft"):
    row(
        f"fft.{named}, 64×1024",
        3.5,
        lambda F: (normal(F, 64, 1024),),
        lambda F, x, named=named: getattr(F.fft, named)(x),
    )

# -------------------------------------------------------------------------------------------------- transposing copies
TRANSPOSED = (
    ((1024, 1024), (1, 0)), ((4096, 512), (1, 0)), ((512, 4096), (1, 0)), ((1000, 333), (1, 0)),
    ((32, 64, 128), (0, 2, 1)), ((32, 3, 224, 224), (0, 2, 3, 1)), ((32, 64, 28, 28), (0, 2, 3, 1)),
    ((32, 28, 28, 64), (0, 3, 1, 2)),
    ((32, 128, 12, 64), (0, 2, 1, 3)), ((100_000, 8), (1, 0)), ((8, 100_000), (1, 0)), ((64, 64, 64), (2, 1, 0)),
)  # fmt: skip
CASTS = (("float32", "float64"), ("float32", "bfloat16"), ("int64", "float32"), ("uint8", "float32"))


def transposing(shape: tuple[int, ...], order: tuple[int, ...], source: str, target: str) -> None:
    """Add a row that makes `x.permute(order)` contiguous, or converts it to another dtype."""

    def call(F: Any, x: Any) -> Any:
        return x.permute(order).contiguous()

    def cast(F: Any, x: Any) -> Any:
        return x.permute(order).to(getattr(F, target)).contiguous()

    name = f"x.permute{order}".replace(" ", "") + f" copied, {'×'.join(map(str, shape))} {source}"
    row(
        name if source == target else f"{name} to {target}",
        LOOSE,
        lambda F: ((normal(F, *shape) * 10).to(getattr(F, source)),),
        call if source == target else cast,
    )


for shape, order in TRANSPOSED:
    transposing(shape, order, "float32", "float32")
for dtype in ("uint8", "bfloat16", "float64", "complex128"):
    for shape, order in (TRANSPOSED[0], TRANSPOSED[4], TRANSPOSED[6]):
        transposing(shape, order, dtype, dtype)
for source, target in CASTS:
    for shape, order in (TRANSPOSED[0], TRANSPOSED[6]):
        transposing(shape, order, source, target)


def by_index(name: str, target: float, rows_: int, columns: int, call: Callable[..., Any]) -> None:
    """Add a row of a matrix, and an index along its rows for each element."""

    def operands(F: Any) -> tuple:
        index = np.random.default_rng(1).integers(0, columns, (rows_, columns))
        return normal(F, rows_, columns), F.from_numpy(index).clone()

    row(f"{name}, {rows_}×{columns}", target, operands, call)


for height, width in ((32, 32), (1000, 1000), (1, 1000), (1, LENGTH)):
    by_index("gather", 1.2, height, width, lambda F, x, index: F.gather(x, 1, index))
    by_index("scatter_add", 1.2, height, width, lambda F, x, index: F.scatter_add(x, 1, index, x))
for side in (64, 1024):
    row(
        f"masked_fill, {side}×{side}",
        0.8,
        lambda F, side=side: (normal(F, side, side), normal(F, side, side) > 0),
        lambda F, x, mask: x.masked_fill(mask, -1e9),
    )


def embedding(name: str, count: int, size: int, target: float, call: Callable[..., Any]) -> None:
    """Add a row of lookups in a table of 1,000 vectors by `count` indices."""

    def operands(F: Any) -> tuple:
        index = np.random.default_rng(2).integers(0, 1000, (count,))
        return normal(F, 1000, size).requires_grad_(), F.from_numpy(index).clone(), normal(F, count, size)

    row(f"{name}, {count} of 1000×{size}", target, operands, call)


def looked_up(F: Any, table: Any, index: Any, g: Any) -> None:
    """Look up, run backward, and discard the gradient."""
    F.nn.functional.embedding(index, table).backward(g)
    table.grad = None


for count, size in ((1000, 64), (16384, 64)):
    embedding("embedding", count, size, 1.2, lambda F, table, index, g: F.nn.functional.embedding(index, table))
    embedding("embedding with gradients", count, size, 1.2, looked_up)


# ----------------------------------------------------------------------------------------- volumes and points of a grid
row(
    "conv3d, 4×8×16×32×32",
    1.5,
    lambda F: (normal(F, 4, 8, 16, 32, 32), normal(F, 16, 8, 3, 3, 3), normal(F, 16)),
    lambda F, x, weight, bias: F.nn.functional.conv3d(x, weight, bias, padding=1),
)
row(
    "grid_sample, 8×16×64×64",
    1.5,
    lambda F: (normal(F, 8, 16, 64, 64), normal(F, 8, 64, 64, 2) / 4),
    lambda F, x, grid: F.nn.functional.grid_sample(x, grid, align_corners=False),
)
