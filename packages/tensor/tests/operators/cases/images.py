"""Cases of image operators: padding and interpolation."""

from __future__ import annotations

from functools import partial

import numpy as np
from case import FLOATS, SCALES, Case

import facula_tensor as ft
from facula_tensor.functional import (
    channel_shuffle,
    cosine_similarity,
    fold,
    interpolate,
    normalize,
    pad,
    pairwise_distance,
    pixel_shuffle,
    pixel_unshuffle,
    unfold,
)

IMAGE = ((2, 3, 4, 5),)


def image(name, function, reference, **given):
    """Make a case of an image operator."""
    return Case(name, function, reference, **{"gradient": ("float64",), "shapes": IMAGE, **given})


def around(mode, **given):
    """Pad the last two dimensions with NumPy."""
    return lambda x: np.pad(x, ((0, 0), (0, 0), (1, 2), (3, 0)), mode, **given)


def cubic(t):
    """Keys' kernel with slope -0.75."""
    t, a = np.abs(t), -0.75
    inner, outer = (a + 2) * t**3 - (a + 3) * t**2 + 1, a * (t**3 - 5 * t**2 + 8 * t - 4)
    return np.where(t <= 1, inner, np.where(t < 2, outer, 0))


def tent(t):
    """The kernel of linear interpolation."""
    return np.maximum(1 - np.abs(t), 0)


def resized(x, dim, count, kernel, align=False):
    """Interpolate a dimension with a kernel over all elements; the outermost elements continue beyond the edges."""
    length = x.shape[dim]
    at = np.linspace(0, length - 1, count) if align else (np.arange(count) + 0.5) * length / count - 0.5
    matrix = np.zeros((count, length))
    for place in range(-3, length + 3):
        matrix[:, min(max(place, 0), length - 1)] += kernel(at - place)
    return np.moveaxis(np.moveaxis(x.astype(np.result_type(x, np.float32)), dim, -1) @ matrix.T, -1, dim)


def both(count, kernel, align=False):
    """Apply a kernel to height and width."""
    return lambda x: resized(resized(x, 2, count[0], kernel, align), 3, count[1], kernel, align)


def smoothed(x, dim, count, kernel):
    """Interpolate a dimension with a kernel as wide as the step. The weights of the existing elements sum to 1."""
    length = x.shape[dim]
    step = length / count
    at = (np.arange(count)[:, None] + 0.5) * step - np.arange(length) - 0.5
    matrix = kernel(at / max(step, 1))
    matrix /= matrix.sum(1, keepdims=True)
    return np.moveaxis(np.moveaxis(x.astype(np.result_type(x, np.float32)), dim, -1) @ matrix.T, -1, dim)


def soft_cubic(t):
    """Keys' kernel with slope -0.5."""
    t = np.abs(t)
    return np.where(t <= 1, 1.5 * t**3 - 2.5 * t**2 + 1, np.where(t < 2, -0.5 * t**3 + 2.5 * t**2 - 4 * t + 2, 0))


def means(x, dim, count):
    """Average a dimension over windows that divide it as evenly as possible."""
    length = x.shape[dim]
    bounds = [(i * length // count, -((i + 1) * length // -count)) for i in range(count)]
    return np.stack([x.take(range(first, end), dim).mean(dim) for first, end in bounds], dim)


def columns(x):
    """Return the windows (2, 3) of images padded left and right, as columns."""
    x = np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(x, (2, 3), (2, 3))
    return seen.transpose(0, 1, 4, 5, 2, 3).reshape(x.shape[0], x.shape[1] * 6, -1)


def folded(x):
    """Add up two adjacent windows (2, 2)."""
    made = np.zeros((2, 1, 2, 3), x.dtype)
    made[:, 0, :, :2] += x[:, :, 0].reshape(2, 2, 2)
    made[:, 0, :, 1:] += x[:, :, 1].reshape(2, 2, 2)
    return made


sized = partial(image, dtypes=FLOATS, loose=4, rejects=False)  # uint8 is supported and rounded

IMAGES = [
    image(
        "pad",
        lambda x: pad(x, (3, 0, 1, 2), value=2),
        lambda x: around("constant", constant_values=2)(x),
        gradient=("float64", "complex128"),
    ),
    image("pad less", lambda x: pad(x, (-1, 1, 0, -2)), lambda x: np.pad(x[:, :, :-2, 1:], ((0, 0),) * 3 + ((0, 1),))),
    image("pad reflect", lambda x: pad(x, (3, 0, 1, 2), "reflect"), around("reflect")),
    image("pad replicate", lambda x: pad(x, (3, 0, 1, 2), "replicate"), around("edge")),
    image("pad circular", lambda x: pad(x, (3, 0, 1, 2), "circular"), around("wrap")),
    image(
        "pad rows", lambda x: pad(x[0], (1, 1), "reflect"), lambda x: np.pad(x[0], ((0, 0), (0, 0), (1, 1)), "reflect")
    ),
    image("interpolate nearest", lambda x: interpolate(x, scale_factor=2), lambda x: x.repeat(2, 2).repeat(2, 3)),
    image(
        "interpolate nearest-exact",
        lambda x: interpolate(x, (2, 3), mode="nearest-exact"),
        lambda x: x[:, :, [1, 3]][..., [0, 2, 4]],
    ),
    sized("interpolate bilinear", lambda x: interpolate(x, (7, 3), mode="bilinear"), both((7, 3), tent)),
    sized(
        "interpolate bilinear, corners",
        lambda x: interpolate(x, (7, 3), mode="bilinear", align_corners=True),
        both((7, 3), tent, True),
    ),
    sized("interpolate bicubic", lambda x: interpolate(x, (7, 3), mode="bicubic"), both((7, 3), cubic)),
    sized(
        "interpolate bilinear, antialias",
        lambda x: interpolate(x, (3, 2), mode="bilinear", antialias=True),
        lambda x: smoothed(smoothed(x, 2, 3, tent), 3, 2, tent),
    ),
    sized(
        "interpolate bicubic, antialias",
        lambda x: interpolate(x, (6, 2), mode="bicubic", antialias=True),
        lambda x: smoothed(smoothed(x, 2, 6, soft_cubic), 3, 2, soft_cubic),
    ),
    sized("interpolate linear", lambda x: interpolate(x[0], 8, mode="linear"), lambda x: resized(x[0], 2, 8, tent)),
    sized(
        "interpolate trilinear",
        lambda x: interpolate(x.unsqueeze(0), (2, 2, 9), mode="trilinear"),
        lambda x: resized(resized(resized(x[None], 2, 2, tent), 3, 2, tent), 4, 9, tent),
    ),
    sized("interpolate area", lambda x: interpolate(x, (3, 2), mode="area"), lambda x: means(means(x, 2, 3), 3, 2)),
    image(
        "pixel_shuffle",
        lambda x: pixel_shuffle(x, 2),
        lambda x: x.reshape(2, 1, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(2, 1, 4, 6),
        shapes=((2, 4, 2, 3),),
    ),
    image(
        "pixel_unshuffle",
        lambda x: pixel_unshuffle(x, 2),
        lambda x: x.reshape(3, 2, 2, 3, 2).transpose(0, 2, 4, 1, 3).reshape(12, 2, 3),
        shapes=((3, 4, 6),),
    ),
    image(
        "channel_shuffle",
        lambda x: channel_shuffle(x, 2),
        lambda x: x[:, [0, 2, 1, 3]],
        shapes=((2, 4, 3),),
    ),
    image("Tensor.unfold", lambda x: x.unfold(-1, 3, 1), lambda x: np.lib.stride_tricks.sliding_window_view(x, 3, -1)),
    image("unfold", lambda x: unfold(x, (2, 3), padding=(0, 1)), columns),
    image("fold", lambda x: fold(x, (2, 3), 2), folded, shapes=((2, 4, 2),), dtypes=FLOATS, rejects=False),
    sized(
        "cdist",
        ft.cdist,
        lambda x, y: np.sqrt(((x[:, None] - y) ** 2).sum(-1)),
        arity=2,
        shapes=((3, 4), (2, 4)),
        scales=SCALES,
    ),
    sized(
        "cdist(1)",
        lambda x, y: ft.cdist(x, y, 1),
        lambda x, y: np.abs(x[:, None] - y).sum(-1),
        arity=2,
        shapes=((3, 4), (2, 4)),
    ),
    sized(
        "pdist",
        ft.pdist,
        lambda x: np.sqrt(((x[[0, 0, 1]] - x[[1, 2, 2]]) ** 2).sum(-1)),
        shapes=((3, 4),),
        scales=SCALES,
    ),
    sized(
        "pairwise_distance",
        pairwise_distance,
        lambda x, y: np.sqrt(((x - y + 1e-6) ** 2).sum(-1)),
        arity=2,
        shapes=((3, 4), (3, 4)),
        scales=SCALES,
    ),
    sized(
        "cosine_similarity",
        cosine_similarity,
        lambda x, y: (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1)),
        arity=2,
        shapes=((3, 4), (3, 4)),
    ),
    sized(
        "cosine_similarity along the first dimension",
        lambda x, y: cosine_similarity(x, y, 0),
        lambda x, y: (x * y).sum(0) / np.sqrt((x * x).sum(0) * (y * y).sum(0)),
        arity=2,
        shapes=((3, 4), (3, 4)),
    ),
    sized(
        "normalize",
        normalize,
        lambda x: x / np.maximum(np.sqrt((x * x).sum(1, keepdims=True)), 1e-12),
        shapes=((3, 4),),
        scales=SCALES,
    ),
    sized(
        "normalize of columns",
        lambda x: normalize(x, dim=0),
        lambda x: x / np.maximum(np.sqrt((x * x).sum(0, keepdims=True)), 1e-12),
        shapes=((3, 4),),
        scales=SCALES,
    ),
    sized(
        "normalize(3)",
        lambda x: normalize(x, 3, dim=0),
        lambda x: x / np.maximum((np.abs(x) ** 3).sum(0, keepdims=True) ** (1 / 3), 1e-12),
        shapes=((3, 4),),
        scales=SCALES,
    ),
]
