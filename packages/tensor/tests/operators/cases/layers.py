"""Cases of layers: convolutions, pooling, normalization, attention, sampling, embeddings, dropout."""

from __future__ import annotations

from itertools import groupby, product

import numpy as np
from case import FLOATS, REALS, Case, always

import facula_tensor as ft
import facula_tensor.functional as F

from .definitions import (
    adaptively_pooled,
    attention,
    convolution,
    normalized,
    pooled,
    sampled,
    transposed_convolution,
)

WIDE = ("float32", "float64")
BOTH = {"dtypes": (*WIDE, "complex64", "complex128"), "gradient": ("float64", "complex128")}
LAYOUTS = ("contiguous", "transposed", "sliced", "offset")


def layer(name, function, reference, *shapes, **given):
    """Make a case of a layer with its input and its weights."""
    given = {"dtypes": WIDE, "gradient": ("float64",), "loose": 10, "rejects": False, "layouts": LAYOUTS, **given}
    return Case(name, function, reference, arity=len(shapes), shapes=shapes, **given)


SIZE = (3, 2, 3)
CONVOLUTIONS = [
    *[
        layer(f"conv{dims}d", getattr(F, f"conv{dims}d"), convolution, (1, 2, *SIZE[:dims]), (2, 2, *(2,) * dims), (2,),
              **BOTH)
        for dims in (1, 2, 3)
    ],
    layer("conv2d(2, 1, 2, 2)", lambda x, w: F.conv2d(x, w, None, 2, 1, 2, 2),
          lambda x, w: convolution(x, w, None, 2, 1, 2, 2), (1, 2, 3, 4), (2, 1, 2, 2), **BOTH),
    *[
        layer(f"conv_transpose{dims}d", getattr(F, f"conv_transpose{dims}d"), transposed_convolution,
              (1, 2, *(2, 2, 1)[:dims]), (2, 1, *(2,) * dims), (1,), **BOTH)
        for dims in (1, 2, 3)
    ],
    layer("conv_transpose2d(2)", lambda x, w: F.conv_transpose2d(x, w, None, 2),
          lambda x, w: transposed_convolution(x, w, None, 2), (1, 1, 2, 3), (1, 2, 2, 2), **BOTH),
]  # fmt: skip


def last_max(x):
    return x.max(-1)


def pools(dims):
    """Make cases of pooling in this number of dimensions."""
    image = (1, 2, *(4, 3, 4)[:dims]) if dims < 3 else (1, 1, 2, 3, 4)
    of = {
        "avg_pool": (lambda seen: seen.mean(-1), (2, 1)), "max_pool": (last_max, (2, 1)),
        "lp_pool": (lambda seen: (seen**3).sum(-1) ** (1 / 3), (2, 1)),
    }  # fmt: skip
    for name, (reduce, window) in of.items():
        function = getattr(F, f"{name}{dims}d")
        arguments = (3, *window) if name == "lp_pool" else window
        options = {"domain": (0.5, 3.0)} if name == "lp_pool" else {"dtypes": FLOATS, "distinct": True, "loose": 3}
        yield layer(f"{name}{dims}d", lambda x, f=function, a=arguments: f(x, *a),
                    lambda x, r=reduce, w=window: pooled(x, dims, r, *w), image, **options)  # fmt: skip
    for name, reduce in (("avg", lambda seen: seen.mean(-1)), ("max", last_max)):
        function = getattr(F, f"adaptive_{name}_pool{dims}d")
        yield layer(f"adaptive_{name}_pool{dims}d", lambda x, f=function: f(x, 2),
                    lambda x, r=reduce: adaptively_pooled(x, dims, r, 2), image, dtypes=FLOATS, distinct=True,
                    loose=3)  # fmt: skip
    pick = getattr(F, f"max_pool{dims}d_with_indices")
    yield layer(f"max_pool{dims}d_with_indices", lambda x: pick(x, x.shape[2:])[1].flatten(),
                lambda x: x.reshape(len(x[0]), -1).argmax(-1), image, dtypes=REALS, distinct=True, gradient=(),
                result=always("int64"))  # fmt: skip
    pick_evenly = getattr(F, f"adaptive_max_pool{dims}d_with_indices")
    yield layer(f"adaptive_max_pool{dims}d_with_indices", lambda x: pick_evenly(x, 1)[1].flatten(),
                lambda x: x.reshape(len(x[0]), -1).argmax(-1), image, dtypes=REALS, distinct=True, gradient=(),
                result=always("int64"))  # fmt: skip
    put = getattr(F, f"max_unpool{dims}d")
    places = np.array([5, 0]).reshape(1, 1, 2, *(1,) * (dims - 1))
    yield layer(f"max_unpool{dims}d",
                lambda x: put(x, ft.tensor(places, device=x.device), 3, output_size=(6, *(3,) * (dims - 1))),
                lambda x: put_at(x, places, (1, 1, 6, *(3,) * (dims - 1))), (1, 1, 2, *(1,) * (dims - 1)),
                dtypes=FLOATS, meta=False)  # fmt: skip


def put_at(x, places, shape):
    result = np.zeros(shape, x.dtype)
    result.reshape(-1)[places.reshape(-1)] = x.reshape(-1)
    return result


def by_channel(w, x):
    return w.reshape(-1, *(1,) * (x.ndim - 2))


def batch_normalized(x, w, b):
    return normalized(x, (0, 2)) * w[:, None] + b[:, None]


FIXED = np.array([0.5, -1.0]), np.array([1.0, 4.0])  # running mean and variance


def running(x, place):
    return ft.tensor(FIXED[place], dtype=x.dtype, device=x.device)


def response_norm(x):
    squares = np.pad(x * x, ((0, 0), (1, 1), (0, 0)))
    around = sum(squares[:, i : i + x.shape[1]] for i in range(3)) / 3
    return x / (1 + 0.5 * around) ** 0.75


NORMALIZATIONS = [
    layer("batch_norm", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), batch_normalized, (3, 2, 2), (2,),
          (2,)),
    layer("batch_norm of running statistics", lambda x: F.batch_norm(x, running(x, 0), running(x, 1)),
          lambda x: (x - FIXED[0][:, None]) / np.sqrt(FIXED[1][:, None] + 1e-5), (3, 2, 2)),
    layer("instance_norm", lambda x, w: F.instance_norm(x, None, None, w),
          lambda x, w: normalized(x, 2) * w[:, None], (2, 2, 3), (2,)),
    layer("layer_norm", lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b), lambda x, w, b: normalized(x, -1) * w + b,
          (3, 4), (4,), (4,), dtypes=FLOATS, loose=3),
    layer("group_norm", lambda x, w, b: F.group_norm(x, 2, w, b),
          lambda x, w, b: normalized(x.reshape(2, 2, -1), -1).reshape(x.shape) * by_channel(w, x) + by_channel(b, x),
          (2, 4, 2), (4,), (4,), dtypes=FLOATS, loose=6),
    layer("rms_norm", lambda x, w: F.rms_norm(x, x.shape[-1], w, 1e-5),
          lambda x, w: normalized(x, -1, centred=False) * w, (3, 4), (4,), dtypes=FLOATS, loose=3),
    layer("local_response_norm", lambda x: F.local_response_norm(x, 3, 0.5), response_norm, (2, 3, 2), dtypes=FLOATS),
]  # fmt: skip
IDENTITIES = [
    layer(name, lambda x, name=name: getattr(F, name)(x, 0.5, False), np.copy, shape, dtypes=FLOATS,
          may_return_operand=True)
    for name, shape in (
        ("dropout", (3, 4)), ("alpha_dropout", (3, 4)), ("feature_alpha_dropout", (3, 4)), ("dropout1d", (2, 2, 3)),
        ("dropout2d", (1, 2, 2, 2)), ("dropout3d", (1, 2, 2, 2, 1)),
    )
]  # fmt: skip


def on(like, numbers):
    """Return a tensor of numbers on the device of another tensor."""
    return ft.tensor(numbers, device=like.device)


def bags(w):
    return np.stack([w[[0, 2]].mean(0), w[[2, 2, 1]].mean(0)])


def affine(theta):
    points = np.array([[[x, y, 1] for x in (-1.0, 0.0, 1.0)] for y in (-1.0, 1.0)])
    return np.einsum("hwk,nck->nhwc", points, theta)


def log_of_paths(logs):
    """Compute the losses of the labels 1 2 and of 2 over all paths."""
    powers, losses = np.exp(logs), []
    for n, labels in enumerate(([1, 2], [2])):
        fits = [p for p in product(range(3), repeat=3) if [k for k, _ in groupby(p) if k] == labels]
        losses.append(-np.log(sum(np.prod([powers[t, n, k] for t, k in enumerate(p)]) for p in fits)))
    return np.array(losses)


LABELS = [[1, 2], [2, 0]]
OTHERS = [
    layer("scaled_dot_product_attention", F.scaled_dot_product_attention, attention, (2, 3, 2), (2, 2, 2), (2, 2, 2)),
    layer("scaled_dot_product_attention(causal)",
          lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
          lambda q, k, v: attention(q, k, v, True), (2, 3, 2), (2, 3, 2), (2, 3, 2)),
    layer("grid_sample", lambda x, g: F.grid_sample(x, g, align_corners=True), sampled, (1, 2, 3, 3), (1, 2, 2, 2),
          domain=(-0.95, 0.95)),
    layer("affine_grid", lambda t: F.affine_grid(t, (2, 1, 2, 3), align_corners=True), affine, (2, 2, 3)),
    layer("embedding_bag", lambda w: F.embedding_bag(on(w, [0, 2, 2, 2, 1]), w, on(w, [0, 2])), bags, (3, 2),
          meta=False),
    layer("ctc_loss",
          lambda x: F.ctc_loss(x.log_softmax(-1), ft.tensor(LABELS, device=x.device), (3, 3), (2, 1), reduction="none"),
          lambda x: log_of_paths(x - np.log(np.exp(x).sum(-1, keepdims=True))), (3, 2, 3)),
    layer("one_hot", lambda x: F.one_hot((x > 0).long(), 2), lambda x: np.eye(2)[(x > 0).astype(int)], (3, 2),
          dtypes=REALS, gradient=(), result=always("int64"), meta=False),
]  # fmt: skip

LEFT_OVER = layer("a column after the last window", lambda x: F.avg_pool2d(x, (1, 3)),
                  lambda x: x[..., :60].reshape(*x.shape[:3], 20, 3).mean(-1), (1, 1, 7, 61), dtypes=FLOATS,
                  loose=3)  # fmt: skip
LAYERS = [*CONVOLUTIONS, *pools(1), *pools(2), *pools(3), LEFT_OVER, *NORMALIZATIONS, *IDENTITIES, *OTHERS]
