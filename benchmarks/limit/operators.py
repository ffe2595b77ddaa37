"""The operators of the table, with the numbers of passes that they should need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

FLOATING = ("float32", "float64", "bfloat16")
ALL = (*FLOATING, "int64")
Bounds = tuple[float, float | None]  # forward, and with the gradient; None: not differentiable


class Operator(NamedTuple):
    """An operator on a first input of about 800,000 elements.

    `call(F, x, *others)` runs it with library F; `others(F, x)` makes further operands.
    """

    name: str
    shape: tuple[int, ...]
    bounds: Bounds
    call: Callable[..., Any]
    dtypes: tuple[str, ...] = FLOATING
    others: Callable[[Any, Any], tuple] | None = None


def functional(name: str, /, *arguments: Any, **options: Any) -> Callable[..., Any]:
    """Return the call of a function of nn.functional on x and further operands."""
    return lambda F, x, *others: getattr(F.nn.functional, name)(x, *others, *arguments, **options)


def method(name: str, /, *arguments: Any, **options: Any) -> Callable[..., Any]:
    """Return the call of a method of x."""
    return lambda F, x, *others: getattr(x, name)(*others, *arguments, **options)


def first(name: str, /, *arguments: Any, **options: Any) -> Callable[..., Any]:
    """Return the call of a method of x that returns several results; the first one has a gradient."""
    return lambda F, x: getattr(x, name)(*arguments, **options)[0]


def mask(F: Any, x: Any) -> tuple:
    """Return a mask that half of the elements pass."""
    return (F.from_numpy(np.random.default_rng(1).random(x.shape) < 0.5).clone(),)


def columns(F: Any, x: Any) -> tuple:
    """Return an index along the last dimension for each element."""
    return (F.from_numpy(np.random.default_rng(2).integers(0, x.shape[-1], x.shape)).clone(),)


def probabilities(F: Any, x: Any) -> tuple:
    """Return targets of a loss between 0 and 1."""
    return (F.from_numpy(np.random.default_rng(3).random(x.shape, np.float32)).to(x.dtype),)


def scale_and_shift(F: Any, x: Any) -> tuple:
    """Return weight and bias of each channel."""
    return F.ones(x.shape[1]).to(x.dtype), F.zeros(x.shape[1]).to(x.dtype)


def batch_norm(F: Any, x: Any, weight: Any, bias: Any) -> Any:
    """Normalize by the statistics of the batch."""
    return F.nn.functional.batch_norm(x, None, None, weight, bias, True)


def cosine_similarity(F: Any, x: Any, y: Any) -> Any:
    """Compare rows of x and y."""
    return F.nn.functional.cosine_similarity(x, y, 1)


def without_gradient(name: str, *arguments: Any) -> Callable[..., Any]:
    """Return the call of a function of nn.functional that records nothing."""

    def call(F: Any, x: Any) -> Any:
        with F.no_grad():
            return getattr(F.nn.functional, name)(x, *arguments)

    return call


SMALL_IMAGES, VOLUMES = (196, 64, 8, 8), (16, 8, 8, 28, 28)
IMAGES, LARGE_IMAGES, ROWS, MANY_ROWS, LINE = (16, 64, 28, 28), (5, 64, 50, 50), (800, 1000), (50_000, 16), (800_000,)
SIGNALS = (64, 32, 400)

OPERATORS = (
    # pooling
    Operator("max_pool2d 2", IMAGES, (3, 7), functional("max_pool2d", 2)),
    Operator("max_pool2d 3, stride 1", IMAGES, (8, 16), functional("max_pool2d", 3, 1, 1)),
    Operator("max_pool2d 3, stride 2", IMAGES, (8, 16), functional("max_pool2d", 3, 2, 1)),
    Operator("max_pool2d 2 in no_grad", IMAGES, (3, None), without_gradient("max_pool2d", 2)),
    Operator("max_pool2d 3, stride 1, in no_grad", IMAGES, (8, None), without_gradient("max_pool2d", 3, 1, 1)),
    Operator("max_pool2d 2, planes of 8 x 8", SMALL_IMAGES, (6, 14), functional("max_pool2d", 2)),
    Operator("max_pool1d 2", SIGNALS, (2, 5), functional("max_pool1d", 2)),
    Operator("max_pool3d 2", VOLUMES, (3, 7), functional("max_pool3d", 2)),
    Operator("adaptive_max_pool2d 7", IMAGES, (8, 16), functional("adaptive_max_pool2d", 7)),
    Operator("adaptive_max_pool2d 5", IMAGES, (8, 16), functional("adaptive_max_pool2d", 5)),
    Operator("avg_pool1d 2", SIGNALS, (2, 5), functional("avg_pool1d", 2)),
    Operator("avg_pool2d 2, planes of 8 x 8", SMALL_IMAGES, (4, 10), functional("avg_pool2d", 2)),
    Operator("lp_pool2d 2", IMAGES, (4, 10), functional("lp_pool2d", 2.0, 2)),
    Operator("avg_pool2d 2", IMAGES, (2, 5), functional("avg_pool2d", 2)),
    Operator("avg_pool2d 3, stride 1", IMAGES, (6, 12), functional("avg_pool2d", 3, 1, 1)),
    Operator("avg_pool2d 3, stride 2", IMAGES, (6, 12), functional("avg_pool2d", 3, 2, 1)),
    Operator("adaptive_avg_pool2d 7", IMAGES, (3, 6), functional("adaptive_avg_pool2d", 7)),
    # positions in images
    Operator("interpolate nearest 2", LARGE_IMAGES, (5, 10), functional("interpolate", scale_factor=2)),
    Operator(
        "interpolate bilinear 2", LARGE_IMAGES, (8, 18), functional("interpolate", scale_factor=2, mode="bilinear")
    ),
    Operator(
        "interpolate bicubic 2", LARGE_IMAGES, (12, 30), functional("interpolate", scale_factor=2, mode="bicubic")
    ),
    Operator("interpolate area 0.5", LARGE_IMAGES, (2, 5), functional("interpolate", scale_factor=0.5, mode="area")),
    Operator("pixel_shuffle 2", IMAGES, (4, 8), functional("pixel_shuffle", 2)),
    Operator("channel_shuffle 4", IMAGES, (2, 5), functional("channel_shuffle", 4)),
    Operator("pixel_unshuffle 2", IMAGES, (4, 8), functional("pixel_unshuffle", 2)),
    Operator("pad 1 reflect", IMAGES, (3, 7), functional("pad", (1, 1, 1, 1), "reflect")),
    Operator("pad 1 replicate", IMAGES, (3, 7), functional("pad", (1, 1, 1, 1), "replicate")),
    Operator("pad 1 circular", IMAGES, (3, 7), functional("pad", (1, 1, 1, 1), "circular")),
    Operator("pad 1 constant", IMAGES, (3, 7), functional("pad", (1, 1, 1, 1))),
    Operator("unfold 2, stride 2", IMAGES, (4, 10), functional("unfold", 2, stride=2)),
    Operator("flip", ROWS, (2, 5), method("flip", 1), ALL),
    Operator("roll", ROWS, (2, 5), method("roll", 3, 1), ALL),
    Operator("rot90", ROWS, (2, 5), method("rot90"), ALL),
    Operator("permute and copy", IMAGES, (2, 5), lambda F, x: x.permute(0, 2, 3, 1).contiguous(), ALL),
    Operator("cat", ROWS, (2, 7), lambda F, x: F.cat([x, x], 1), ALL),
    Operator("stack last", ROWS, (3, 8), lambda F, x: F.stack([x, x], 2), ALL),
    Operator("repeat 2, 2", ROWS, (5, 12), method("repeat", 2, 2), ALL),
    Operator("repeat_interleave 2", ROWS, (3, 7), method("repeat_interleave", 2, 1), ALL),
    Operator("unfold of a dimension", ROWS, (1, 10), method("unfold", 1, 4, 2)),
    # normalization
    Operator("local_response_norm 5", IMAGES, (8, 20), functional("local_response_norm", 5)),
    Operator("batch_norm, training", IMAGES, (3, 8), batch_norm, others=scale_and_shift),
    Operator("instance_norm", IMAGES, (3, 6), functional("instance_norm")),
    Operator("group_norm 8", IMAGES, (3, 6), functional("group_norm", 8)),
    Operator("layer_norm 1000", ROWS, (3, 6), functional("layer_norm", (1000,))),
    Operator("normalize", ROWS, (3, 9), functional("normalize")),
    Operator("softmax, rows of 16", MANY_ROWS, (4, 6), method("softmax", 1)),
    Operator("log_softmax, rows of 16", MANY_ROWS, (4, 6), method("log_softmax", 1)),
    Operator("softmax, rows of 1,000", ROWS, (4, 6), method("softmax", 1)),
    # reductions
    *(
        Operator(f"{name}({dim})", ROWS, bounds, method(name, dim))
        for name, bounds in (("var", (3, 8)), ("std", (3, 8)), ("logsumexp", (4, 8)))
        for dim in (-1, 0)
    ),
    *(Operator(f"norm(2, {dim})", ROWS, (2, 5), method("norm", 2, dim)) for dim in (-1, 0)),
    *(Operator(f"norm({p}, -1)", ROWS, (2, 5), method("norm", p, -1)) for p in (1, 3, float("inf"))),
    *(Operator(f"{name}({dim})", ROWS, (2, 5), method(name, dim), ALL) for name in ("sum", "amax") for dim in (-1, 0)),
    *(Operator(f"argmax({dim})", ROWS, (2, None), method("argmax", dim), ALL) for dim in (-1, 0)),
    *(Operator(f"max({dim})", ROWS, (2, 5), first("max", dim), ALL) for dim in (-1, 0)),
    *(Operator(f"prod({dim})", ROWS, (2, 8), method("prod", dim), ALL) for dim in (-1, 0)),
    # elements by index
    Operator("x[mask]", LINE, (6, 14), method("__getitem__"), ALL, mask),
    Operator("gather", ROWS, (6, 14), lambda F, x, index: x.gather(1, index), ALL, columns),
    Operator("scatter_add", ROWS, (12, 20), lambda F, x, index: x.scatter_add(1, index, x), ALL, columns),
    Operator("index_select", ROWS, (3, 8), lambda F, x, index: x.index_select(0, index[:, 0] % len(x)), ALL, columns),
    Operator(
        "one_hot 16", (50_000,), (4 * 16, None), lambda F, x: F.nn.functional.one_hot(x.abs() % 16, 16), ("int64",)
    ),
    # sorting and scans
    Operator("sort, rows of 1,000", ROWS, (40, 45), first("sort", 1), ALL),
    Operator("topk 10 of 1,000", ROWS, (8, 9), first("topk", 10), ALL),
    Operator("median, rows of 1,000", ROWS, (20, 25), first("median", 1), ALL),
    Operator("cummax", ROWS, (4, 9), first("cummax", 1), ALL),
    *(Operator(f"cumsum({dim})", ROWS, (4, 9), method("cumsum", dim), ALL) for dim in (1, 0)),
    *(Operator(f"cumprod({dim})", ROWS, (4, 12), method("cumprod", dim), ALL) for dim in (1, 0)),
    # random numbers
    Operator("randn", LINE, (8, None), lambda F, x: F.randn(x.shape, dtype=x.dtype)),
    Operator("rand", LINE, (4, None), lambda F, x: F.rand(x.shape, dtype=x.dtype)),
    Operator("bernoulli 0.3", LINE, (8, None), lambda F, x: F.empty_like(x).bernoulli_(0.3)),
    Operator("dropout 0.3", LINE, (5, 8), functional("dropout", 0.3)),
    # losses and activations
    Operator(
        "binary_cross_entropy_with_logits",
        LINE,
        (8, 14),
        functional("binary_cross_entropy_with_logits"),
        others=probabilities,
    ),
    Operator("mse_loss", LINE, (3, 6), functional("mse_loss"), others=probabilities),
    Operator("smooth_l1_loss", LINE, (3, 6), functional("smooth_l1_loss"), others=probabilities),
    Operator("huber_loss", LINE, (3, 6), functional("huber_loss"), others=probabilities),
    Operator("cosine_similarity", ROWS, (4, 12), cosine_similarity, others=probabilities),
    Operator("gelu", LINE, (5, 10), functional("gelu")),
    Operator("silu", LINE, (3, 6), functional("silu")),
    # gradients that should cost at most four times their forward pass
    Operator("x ** 2", LINE, (1.2, 4), lambda F, x: x**2),
    Operator("x ** 3", LINE, (1.5, 6), lambda F, x: x**3),
    Operator("x / y", LINE, (2, 8), lambda F, x, y: x / y, others=probabilities),
    Operator("chunk and multiply", ROWS, (1.2, 4), lambda F, x: F.mul(*x.chunk(2, 1))),
)
