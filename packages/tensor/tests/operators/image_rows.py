"""Rows of what is done to images: elements put around them, and other sizes."""

from __future__ import annotations

from functools import partial

import numpy as np
from harness import FLOATS, Row

from facula_tensor.functional import interpolate, pad

IMAGE = ((2, 3, 4, 5),)


def image(name, function, reference, **given):
    """A row of something done to images."""
    return Row(name, function, reference, **{"gradient": ("float64",), "shapes": IMAGE, **given})


def around(mode, **given):
    """NumPy's padding of the last two dimensions."""
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
    """A dimension by a kernel over all elements, those beyond the edges being the outermost ones."""
    length = x.shape[dim]
    at = np.linspace(0, length - 1, count) if align else (np.arange(count) + 0.5) * length / count - 0.5
    matrix = np.zeros((count, length))
    for place in range(-3, length + 3):
        matrix[:, min(max(place, 0), length - 1)] += kernel(at - place)
    return np.moveaxis(np.moveaxis(x.astype(np.result_type(x, np.float32)), dim, -1) @ matrix.T, -1, dim)


def both(count, kernel, align=False):
    """Height and width by a kernel."""
    return lambda x: resized(resized(x, 2, count[0], kernel, align), 3, count[1], kernel, align)


def means(x, dim, count):
    """A dimension by means of windows that divide it as evenly as can be."""
    length = x.shape[dim]
    bounds = [(i * length // count, -((i + 1) * length // -count)) for i in range(count)]
    return np.stack([x.take(range(first, end), dim).mean(dim) for first, end in bounds], dim)


sized = partial(image, dtypes=FLOATS, loose=4, rejects=False)  # uint8 is taken, and rounded

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
    sized("interpolate linear", lambda x: interpolate(x[0], 8, mode="linear"), lambda x: resized(x[0], 2, 8, tent)),
    sized(
        "interpolate trilinear",
        lambda x: interpolate(x.unsqueeze(0), (2, 2, 9), mode="trilinear"),
        lambda x: resized(resized(resized(x[None], 2, 2, tent), 3, 2, tent), 4, 9, tent),
    ),
    sized("interpolate area", lambda x: interpolate(x, (3, 2), mode="area"), lambda x: means(means(x, 2, 3), 3, 2)),
]
