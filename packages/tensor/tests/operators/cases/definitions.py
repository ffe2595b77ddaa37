"""Reference implementations of layers, element by element, in NumPy."""

from __future__ import annotations

import itertools

import numpy as np


def convolution(x, w, b=None, stride=1, padding=0, dilation=1, groups=1):
    """Convolve in any number of dimensions, with one stride, padding and dilation for all dimensions."""
    dims = w.ndim - 2
    x = np.pad(x, ((0, 0), (0, 0), *[(padding, padding)] * dims))
    spans = [(k - 1) * dilation + 1 for k in w.shape[2:]]
    out = [(n - span) // stride + 1 for n, span in zip(x.shape[2:], spans, strict=True)]
    result = np.zeros((len(x), len(w), *out), np.result_type(x, w))
    for f, *at in np.ndindex(len(w), *out):
        first = f // (len(w) // groups) * w.shape[1]
        parts = [slice(i * stride, i * stride + span, dilation) for i, span in zip(at, spans, strict=True)]
        seen = x[(slice(None), slice(first, first + w.shape[1]), *parts)]
        result[(slice(None), f, *at)] = (seen * w[f]).sum(tuple(range(1, dims + 2)))
    return result if b is None else result + b.reshape(-1, *(1,) * dims)


def transposed_convolution(x, w, b=None, stride=1):
    """Add the kernel, multiplied by each element of x, at the element's position."""
    dims = w.ndim - 2
    out = [(n - 1) * stride + k for n, k in zip(x.shape[2:], w.shape[2:], strict=True)]
    result = np.zeros((len(x), w.shape[1], *out), np.result_type(x, w))
    for n, c, *at in np.ndindex(x.shape):
        parts = [slice(i * stride, i * stride + k) for i, k in zip(at, w.shape[2:], strict=True)]
        result[(n, slice(None), *parts)] += x[(n, c, *at)] * w[c]
    return result if b is None else result + b.reshape(-1, *(1,) * dims)


def pooled(x, dims, reduce, kernel, stride):
    """Apply `reduce` to each window's elements, which form a new last dimension."""
    axes = tuple(range(x.ndim - dims, x.ndim))
    seen = np.lib.stride_tricks.sliding_window_view(x, (kernel,) * dims, axes)
    seen = seen[(..., *[slice(None, None, stride)] * dims, *[slice(None)] * dims)]
    return reduce(seen.reshape(*seen.shape[:-dims], -1))


def adaptively_pooled(x, dims, reduce, count):
    """Apply `reduce` to each of `count` windows along each dimension, which may overlap."""
    result = np.zeros((*x.shape[:-dims], *(count,) * dims), x.dtype)
    for at in itertools.product(range(count), repeat=dims):
        bounds = [(i * n // count, -((i + 1) * n // -count)) for i, n in zip(at, x.shape[-dims:], strict=True)]
        part = x[(..., *[slice(*bound) for bound in bounds])]
        result[(..., *at)] = reduce(part.reshape(*x.shape[:-dims], -1))
    return result


def normalized(x, dims, eps=1e-5, centred=True):
    """Subtract the mean and divide by the standard deviation along dimensions."""
    x = x - x.mean(dims, keepdims=True) if centred else x
    return x / np.sqrt((x * x).mean(dims, keepdims=True) + eps)


def attention(q, k, v, causal=False):
    """Compute attention with the softmax of scaled products as weights."""
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


def sampled(x, grid):
    """Sample images at points by bilinear interpolation, with zeros outside; corners are centres of pixels."""
    result = np.zeros((*x.shape[:2], *grid.shape[1:3]), x.dtype)
    for n, i, j in np.ndindex(len(x), *grid.shape[1:3]):
        across, down = [(p + 1) / 2 * (size - 1) for p, size in zip(grid[n, i, j], x.shape[:1:-1], strict=True)]
        for r, c in itertools.product((int(np.floor(down)), int(np.floor(down)) + 1), range(x.shape[3])):
            weight = max(1 - abs(down - r), 0) * max(1 - abs(across - c), 0)
            if 0 <= r < x.shape[2]:
                result[n, :, i, j] += weight * x[n, :, r, c]
    return result
