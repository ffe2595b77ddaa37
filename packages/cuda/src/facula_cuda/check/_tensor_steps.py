"""Steps with tensors, which need facula: operators against the CPU's bits, and training."""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Any

import numpy as np

from .._backend.fallback_counts import fallbacks
from .._port.devices import synchronize
from .._port.waits import waits
from ._report import Report, step

UNARY = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor frac i0 "
    "lgamma log log10 log1p log2 logit neg rad2deg reciprocal relu round rsqrt sigmoid sign sin sinc sinh sqrt square "
    "tan tanh trunc"
).split()
BINARY = "add atan2 copysign div fmax fmin fmod hypot logaddexp maximum minimum mul nextafter pow remainder sub".split()
FLOATING = ("float32", "float64", "float16", "bfloat16")
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-30, -1e-30, 80.0, -80.0, 1e30, float("inf"), -float("inf"), float("nan"))


def _values(facula: Any, dtype: str, size: int) -> Any:
    drawn = np.random.default_rng(3).normal(size=size - len(SPECIAL)) * 3
    return facula.tensor(np.concatenate([np.array(SPECIAL), drawn]).tolist(), dtype=getattr(facula, dtype))


def _bits(tensor: Any) -> bytes:
    return bytes(tensor.detach().cpu().contiguous().numpy(force=True).tobytes())


def _same(facula: Any, first: Any, second: Any) -> bool:
    """Return whether two tensors have the same bits, where NaNs equal each other."""
    first, second = first.detach().cpu().double(), second.detach().cpu().double()
    return _bits(facula.nan_to_num(first, nan=12345.0)) == _bits(facula.nan_to_num(second, nan=12345.0))


@step(180, "facula")
def operators(report: Report) -> None:
    """Elementwise operators have the CPU's bits, in all floating dtypes, and so have their gradients."""
    os.environ.setdefault("FACULA_CUDA_FALLBACK", "quiet")
    facula = import_module("facula")
    size = 300 if report.simulated else 100_000
    different: dict[str, list[str]] = {}
    count = 0
    for dtype in FLOATING[: 1 if report.simulated else None]:
        x = _values(facula, dtype, size)
        y = facula.flip(x, [0])
        for name in (*UNARY, *BINARY)[:: 8 if report.simulated else 1]:
            operands = (x, y)[: 1 + (name in BINARY)]
            results = []
            for device in ("cpu", "cuda"):
                own = [operand.detach().to(device).requires_grad_() for operand in operands]
                result = getattr(facula, name)(*own)
                grads = facula.autograd.grad(result.sum(), own, allow_unused=True) if result.requires_grad else ()
                results.append([result, *(grad for grad in grads if grad is not None)])
            count += 1
            if not all(_same(facula, first, second) for first, second in zip(*results, strict=True)):
                different.setdefault(name, []).append(dtype)
    report.check("all results and gradients have the CPU's bits", not different, different)
    report.figure("compared", count)
    report.figure("different", different)
    report.figure("fallbacks", fallbacks())


@step(120, "facula")
def training(report: Report) -> None:
    """A network trains to the CPU's losses; figures are of a step after three others."""
    os.environ.setdefault("FACULA_CUDA_FALLBACK", "quiet")
    facula = import_module("facula")
    nn = facula.nn
    width, steps = (32, 6) if report.simulated else (256, 50)
    losses: dict[str, list[float]] = {}
    for device in ("cpu", "cuda"):
        facula.manual_seed(0)
        model = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 10)).to(device)
        optimizer = facula.optim.AdamW(model.parameters(), lr=1e-3)
        data = facula.randn(64, width).to(device)
        target = (facula.arange(64) % 10).to(device)
        kept = []
        for number in range(steps):
            if device == "cuda" and number == 3:
                synchronize()
                waited, begin = waits(), time.perf_counter()
            loss = nn.functional.cross_entropy(model(data), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            kept.append(loss.detach())
        if device == "cuda":
            report.figure("waits_a_step", (waits() - waited) / (steps - 3))
            synchronize()
            report.figure("step_us", (time.perf_counter() - begin) * 1e6 / (steps - 3))
        losses[device] = [loss.item() for loss in kept]
    report.figure("losses", losses)
    close = np.allclose(losses["cpu"], losses["cuda"], rtol=1e-4)
    report.check("losses are the CPU's", close, losses)
    report.check("the last loss is less than the first", losses["cuda"][-1] < losses["cuda"][0], losses["cuda"])
