"""Steps that compare families of kernels with float64 on the CPU, and adapters of libraries with our kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._backend.fallback_counts import fallbacks
from ._report import Report, step
from ._tensors import FLOATING, error_of, facula, numbers, tensor, torch

EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}


class Family(NamedTuple):
    """A function of tensors in either library, the shapes of its operands, and those for little work.

    `units`: the error that is allowed, in units of the dtype's precision at the greatest result.
    """

    run: Callable[..., Any]
    shapes: Sequence[tuple[int, ...]]
    small: Sequence[tuple[int, ...]]
    units: float = 16
    gradient: bool = True


def _functional(name: str, *arguments: Any, **options: Any) -> Callable[..., Any]:
    return lambda library, *operands: getattr(library.nn.functional, name)(*operands, *arguments, **options)


def _method(name: str, *arguments: Any, **options: Any) -> Callable[..., Any]:
    return lambda library, x: getattr(x, name)(*arguments, **options)


def _classes(library: Any, x: Any) -> Any:
    return library.nn.functional.cross_entropy(x, library.arange(len(x), device=x.device) % x.shape[1])


def _scattered(library: Any, x: Any, y: Any) -> Any:
    return x.index_add(0, library.arange(len(y), device=x.device) * 7 % len(x), y)


def _embedded(library: Any, x: Any) -> Any:
    return library.nn.functional.embedding(library.arange(3 * len(x), device=x.device) * 5 % len(x), x)


def _batch_norm(library: Any, x: Any, weight: Any, bias: Any) -> Any:
    return library.nn.functional.batch_norm(x, None, None, weight, bias, training=True)


def _reversed(library: Any, x: Any) -> Any:
    """Reverse the order of the bits of indices."""
    dims = len(x).bit_length() - 1
    return x.view((2,) * dims).permute(*range(dims)[::-1]).exp()


ROWS, FEW = [(64, 64)], [(5, 7)]
IMAGES = [(8, 32, 28, 28), (64, 32, 3, 3), (64,)]
FAMILIES = {
    "matmul": Family(lambda library, a, b: a @ b, [(512, 768), (768, 384)], [(5, 9), (9, 6)]),
    "matmul of transposed": Family(lambda library, a, b: a.T @ b.T, [(333, 257), (129, 333)], [(9, 5), (6, 9)]),
    "bmm": Family(lambda library, a, b: a @ b, [(24, 128, 64), (24, 64, 128)], [(3, 5, 4), (3, 4, 6)]),
    "linear": Family(_functional("linear"), [(2048, 768), (3072, 768), (3072,)], [(5, 9), (6, 9), (6,)]),
    "conv2d 3x3": Family(_functional("conv2d", padding=1), IMAGES, [(2, 3, 6, 6), (4, 3, 3, 3), (4,)]),
    "conv2d 1x1 stride 2": Family(
        _functional("conv2d", stride=2), [(8, 64, 28, 28), (128, 64, 1, 1)], [(2, 3, 6, 6), (4, 3, 1, 1)]
    ),
    "conv2d grouped": Family(
        _functional("conv2d", padding=1, groups=8), [(4, 64, 14, 14), (64, 8, 3, 3)], [(2, 8, 5, 5), (8, 1, 3, 3)]
    ),
    "attention": Family(
        lambda library, q, k, v: library.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True),
        [(2, 12, 256, 64)] * 3, [(1, 2, 7, 4)] * 3,
    ),
    "softmax of 64": Family(_functional("softmax", dim=1), [(4096, 64)], FEW),
    "softmax of 50257": Family(_functional("softmax", dim=1), [(16, 50257)], [(2, 300)]),
    "log_softmax": Family(_functional("log_softmax", dim=1), [(256, 1000)], FEW),
    "cross_entropy": Family(_classes, [(512, 1000)], FEW),
    "layer_norm": Family(
        lambda library, x, weight, bias: library.nn.functional.layer_norm(x, x.shape[-1:], weight, bias),
        [(2048, 768), (768,), (768,)], [(5, 7), (7,), (7,)], 64,
    ),
    "group_norm": Family(_functional("group_norm", 4), [(8, 64, 28, 28)], [(2, 4, 3, 3)], 64),
    "batch_norm": Family(_batch_norm, [(16, 64, 28, 28), (64,), (64,)], [(4, 3, 5, 5), (3,), (3,)], 64),
    "max_pool2d": Family(_functional("max_pool2d", 3, 2, 1), [(8, 64, 56, 56)], [(2, 3, 7, 7)]),
    "avg_pool2d": Family(_functional("adaptive_avg_pool2d", 3), [(8, 64, 28, 28)], [(2, 3, 7, 7)]),
    "sum": Family(_method("sum"), [(1 << 20,)], [(300,)], 4096),
    "mean of rows": Family(_method("mean", 1), [(1000, 1000)], FEW, 64),
    "sum of columns": Family(_method("sum", 0), [(1000, 1000)], FEW, 64),
    "var": Family(_method("var", 1), [(1000, 1000)], FEW, 64),
    "amax": Family(_method("amax", 1), [(1000, 1000)], FEW),
    "logsumexp": Family(_method("logsumexp", 1), [(1000, 1000)], FEW),
    "norm": Family(_method("norm"), [(1 << 20,)], [(300,)], 64),
    "norm of power 3": Family(_method("norm", 3, 1), [(1000, 1000)], FEW, 64),
    "flip, roll, tril": Family(lambda library, x: x.flip(0).roll(3, 1).tril(), ROWS, FEW),
    "many dimensions": Family(_reversed, [(1 << 14,)], [(1 << 8,)]),
    "cumsum": Family(_method("cumsum", 1), [(64, 10_000)], FEW, 4096),
    "sort": Family(lambda library, x: x.sort(1)[0], [(64, 10_000)], FEW),
    "topk": Family(lambda library, x: x.topk(5, 1)[0], [(64, 10_000)], FEW),
    "index_add": Family(_scattered, [(100, 64), (1000, 64)], [(6, 3), (11, 3)], 64),
    "embedding": Family(_embedded, [(1000, 256)], FEW, 64),
    "gelu": Family(_functional("gelu"), ROWS, FEW),
}  # fmt: skip


def _results(library: Any, family: Family, operands: Sequence[Any], weights: np.ndarray[Any, Any] | None) -> list[Any]:
    """Return the result of a family and, with weights of its elements, the gradients of the operands."""
    own = [operand.detach().requires_grad_(family.gradient) for operand in operands]
    result = family.run(library, *own)
    if not family.gradient or weights is None:
        return [result]
    given = tensor(library, weights, str(result.dtype).rpartition(".")[2], str(result.device))
    return [result, *library.autograd.grad(result, own, given)]


def _compare(library: Any, family: Family, arrays: Sequence[Any], dtype: str, report: Report) -> tuple[float, Any]:
    """Return the greatest error on the device in units of the dtype's precision, and PyTorch's if there is one."""
    rounded = [tensor(library, array, dtype, "cpu") for array in arrays]
    exact = [operand.double() for operand in rounded]
    shape = tuple(family.run(library, *exact).shape)
    weights = numbers(tensor(library, np.random.default_rng(9).standard_normal(shape), dtype, "cpu"))
    expected = [numbers(one) for one in _results(library, family, exact, weights)]
    found = _results(library, family, [operand.to("cuda") for operand in rounded], weights)
    ours = error_of(found, expected) / EPSILON[dtype]
    other = None if report.small else torch()
    if other is None:
        return ours, None
    operands = [tensor(other, numbers(operand), dtype) for operand in rounded]
    return ours, round(error_of(_results(other, family, operands, weights), expected) / EPSILON[dtype], 2)


@step(75, "facula")
def families(report: Report) -> None:
    """Products, convolutions, attention, norms, reductions, sorts and others are as accurate as their dtype."""
    library = facula()
    chosen = list(FAMILIES.items())[:: 4 if report.simulated else 1]
    late = []
    for dtype in FLOATING[: 1 if report.small else None]:
        errors, others = {}, {}
        for number, (name, family) in enumerate(chosen):
            if report.is_late():
                late.append(f"{name} {dtype}")
                continue
            random = np.random.default_rng(number)
            arrays = [random.standard_normal(shape) for shape in (family.small if report.small else family.shapes)]
            errors[name], others[name] = _compare(library, family, arrays, dtype, report)
            good = errors[name] <= family.units
            report.check(f"{name} of {dtype} is within {family.units} units", good, f"{errors[name]:.1f} units")
        report.figure(f"{dtype}_units", {name: round(error, 2) for name, error in errors.items()})
        if any(error is not None for error in others.values()):
            report.figure(f"{dtype}_units_of_torch", others)
    report.figure("left_out_for_time", late)
    report.figure("fallbacks", fallbacks())
