"""The planner of Fourier transforms: the passes of a plan, and their tables."""

from __future__ import annotations

from math import log2, prod
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import contiguous

from .._kernels import ffi
from .._runtime.planners import GRAIN, SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from .._runtime.types import Layouts, Parameters

LANES = 16  # as FFT_LANES in fft_tables.h
LARGEST = 37  # as FFT_LARGEST
SHORT = 128  # numbers of the longest line that is transformed together with others,
SHORT_PADDED = 256  # and of the longest convolution
FIXED = 16  # bytes of the struct before its passes
COMPLEX, HALF, WHOLE, REAL = range(4)


@planner("fft_complex")
def plan_fft_complex(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a transform to complex numbers along all `dims`."""
    (a,), (out,), (dims, inverse, norm) = inputs, outputs, parameters
    sizes = [(dim, a.shape[dim]) for dim in reversed(dims)]
    kinds = [COMPLEX if a.dtype.is_complex else WHOLE] + [COMPLEX] * (len(dims) - 1)
    steps = [*zip(kinds, sizes, [(a, 1)] + [(out, 2)] * (len(dims) - 1), [(out, 2)] * len(dims), strict=True)]
    return plan_passes(operator, inputs, outputs, parameters, steps, inverse, norm)


@planner("fft_from_real")
def plan_fft_from_real(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a transform from real to half of the frequencies along the last of `dims`, and all along the others."""
    (a,), (out,), (dims, norm) = inputs, outputs, parameters
    steps = [(HALF, (dims[-1], a.shape[dims[-1]]), (a, 1), (out, 2))]
    steps += [(COMPLEX, (dim, a.shape[dim]), (out, 2), (out, 2)) for dim in reversed(dims[:-1])]
    return plan_passes(operator, inputs, outputs, parameters, steps, False, norm)


@planner("fft_to_real")
def plan_fft_to_real(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan an inverse transform from half of the frequencies along the last of `dims`."""
    (a,), (out,), (dims, length, norm) = inputs, outputs, parameters
    place = (a, 1)
    steps = []
    for dim in dims[:-1]:
        work = (contiguous(a.shape, a.dtype, a.device), 3)
        steps.append((COMPLEX, (dim, a.shape[dim]), place, work))
        place = work
    steps.append((REAL, (dims[-1], length), place, (out, 2)))
    return plan_passes(operator, inputs, outputs, parameters, steps, True, norm)


def plan_passes(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    steps: list[tuple[int, tuple[int, int], tuple[Layout, int], tuple[Layout, int]]],
    inverse: bool,
    norm: str,
) -> Plan:
    """Plan passes, each a kind, a dimension and its size, and layouts with their arguments."""
    a, out = inputs[0], outputs[0]
    kernel = find_kernel(operator, a.dtype.code, out.dtype.code)
    if kernel is None or not out.is_contiguous:
        raise no_kernel(operator, inputs, outputs)
    total = prod(n for _, (_, n), _, _ in steps)
    scale = total ** (-0.5) if norm == "ortho" else 1 / total if (norm == "backward") == inverse else 1.0
    data = b""
    costs = 0.0
    for i, (kind, (dim, n), source, target) in enumerate(steps):
        factor = scale if i == len(steps) - 1 else 1.0
        cost = kernel.cost * n * (1 + log2(n))
        one, lines = _pass(kind, n, dim, source, target, inverse, factor, cost)
        data += one
        costs += lines * cost
    struct = ffi.new("struct facula_fft *", {"data": len(data) // 8})
    struct.passes, struct.numbers = len(steps), len(data) // 8
    ffi.buffer(struct, FIXED + len(data))[FIXED:] = data
    workspace = a.numel * a.dtype.itemsize if operator == "fft_to_real" and len(steps) > 1 else 0
    cost = costs / max(out.numel, 1)
    return bound_plan(operator, parameters, outputs, kernel.address, struct, arrays=2, cost=cost, workspace=workspace)


def _pass(
    kind: int,
    n: int,
    dim: int,
    source: tuple[Layout, int],
    target: tuple[Layout, int],
    inverse: bool,
    scale: float,
    cost: float,
) -> tuple[bytes, int]:
    """Return the numbers of a pass, and the number of its lines, of which each has this cost."""
    (a, from_argument), (out, to_argument) = source, target
    from_unit, to_unit = 1 + a.dtype.is_complex, 1 + out.dtype.is_complex
    rest = [i for i in range(a.ndim) if i != dim and a.shape[i] != 1]
    rest.sort(key=lambda i: (abs(a.strides[i]), -i))  # neighbours in memory first
    nest = [number for i in rest for number in (a.shape[i], a.strides[i] * from_unit, out.strides[i] * to_unit)]
    lines = prod(a.shape[i] for i in rest)
    length = n // 2 if kind != COMPLEX and n % 2 == 0 else n
    padded = 0 if max(prime_factors(length), default=1) <= LARGEST else padded_length(2 * length - 1)
    rows, columns = (padded, 1) if 0 < padded <= SHORT_PADDED else split(padded or length)
    real = np.dtype("float32" if a.dtype.itemsize == 4 * from_unit else "float64")
    numbers = tables(n, length, padded, rows, columns, real)
    struct = ffi.new(
        "struct facula_fft_pass *",
        {
            "kind": kind,
            "n": n,
            "length": length,
            "padded": padded,
            "rows": rows,
            "columns": columns,
            "inverse": inverse,
            "scale": scale,
            "source": from_argument,
            "target": to_argument,
            "source_step": a.strides[dim] * from_unit,
            "target_step": out.strides[dim] * to_unit,
            "lines": lines,
            "group": LANES * max(1, int(GRAIN / (LANES * cost))),
            "serial": lines * cost <= SERIAL,
            "factors": butterflies(rows),
            "column_factors": butterflies(columns),
            "batch_dims": len(rest),
        },
    )
    struct.numbers = len(ffi.buffer(struct)) // 8 + len(nest) + len(numbers) // 8
    return bytes(ffi.buffer(struct)) + np.array(nest, np.int64).tobytes() + numbers, lines


def prime_factors(n: int) -> list[int]:
    """Return the prime factors of n, ascending."""
    factors, divisor = [], 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            factors.append(divisor)
            n //= divisor
        divisor += 1
    return factors + [n] * (n > 1)


def butterflies(n: int) -> list[int]:
    """Return factors of n for which there are butterflies: powers of two as 8 and 4 rather than 2."""
    odd = [factor for factor in prime_factors(n) if factor != 2]
    twos = (n & -n).bit_length() - 1
    fours = {1: 2 if twos > 1 else 0, 2: 1}.get(twos % 3, 0)
    eights = (twos - 2 * fours) // 3
    return [8] * eights + [4] * fours + [2] * (twos - 3 * eights - 2 * fours) + odd


def padded_length(least: int) -> int:
    """Return the smallest product of 2, 3 and 5 from `least` on."""
    best = 1 << (least - 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            best = min(best, three << max(0, -(-least // three) - 1).bit_length())
            three *= 3
        five *= 5
    return best


def split(length: int) -> tuple[int, int]:
    """Return rows and columns: the factors with the fewest incomplete vectors, then the most similar ones."""
    if length <= SHORT:
        return length, 1

    def cost(rows: int) -> tuple[int, int]:
        columns = length // rows
        return rows * -(-columns // LANES) + columns * -(-rows // LANES), rows + columns

    divisors = {1}
    for factor in prime_factors(length):
        divisors |= {divisor * factor for divisor in divisors}
    rows = min(divisors - {1, length}, key=lambda rows: (*cost(rows), rows))
    return rows, length // rows


def roots(n: int, powers: np.ndarray) -> np.ndarray:
    """Return exp(-2 pi i / n) to these powers."""
    powers = (powers + n // 2) % n - n // 2  # small angles are more accurate
    return np.exp(-2j * np.pi * (powers / n))


def tables(n: int, length: int, padded: int, rows: int, columns: int, real: np.dtype) -> bytes:
    """Return the tables of fft_tables.h, in whole 8-byte numbers."""
    pairs = [*_factor_tables(rows), *_factor_tables(columns)]
    parts = [np.stack([table.real, table.imag], -1) for table in pairs]
    planes = []
    if columns > 1:
        planes.append(roots(rows * columns, np.arange(rows)[:, None] * np.arange(columns)))
    if length < n:
        planes.append(roots(n, np.arange(length)))
    if padded:
        # Squares modulo 2 n: those of large numbers would have no exact angles.
        chirp = roots(2 * length, np.arange(length, dtype=np.int64) ** 2 % (2 * length))
        kernel = np.zeros(padded, complex)
        kernel[:length] = np.conj(chirp)
        kernel[padded - length + 1 :] = np.conj(chirp[:0:-1])
        planes += [chirp, np.fft.fft(kernel) / padded]
    parts += [part for plane in planes for part in (plane.real, plane.imag)]
    flat = np.concatenate([*[part.ravel() for part in parts], np.zeros(LANES)]).astype(real)
    return flat.tobytes() + bytes(-flat.nbytes % 8)


def _factor_tables(length: int) -> list[np.ndarray]:
    """Return, for each factor of a length, the roots of unity if it is odd, and its twiddles."""
    found = []
    for factor in butterflies(length):
        if factor % 2:
            found.append(roots(factor, np.arange(factor)))
        length //= factor
        found.append(roots(length * factor, np.arange(length)[:, None] * np.arange(1, factor)).ravel())
    return found
