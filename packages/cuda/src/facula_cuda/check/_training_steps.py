"""Steps with tensors, which need facula: operators against the CPU's bits, and training beside PyTorch."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from facula_storage import listen

from .._backend.fallback_counts import fallbacks
from .._port.devices import synchronize
from .._port.waits import waits
from ._models import gpt2, resnet18
from ._report import Report, step
from ._tensors import FLOATING, facula, libraries, name_of

UNARY = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 floor frac i0 "
    "lgamma log log10 log1p log2 logit neg rad2deg reciprocal relu round rsqrt sigmoid sign sin sinc sinh sqrt square "
    "tan tanh trunc"
).split()
BINARY = "add atan2 copysign div fmax fmin fmod hypot logaddexp maximum minimum mul nextafter pow remainder sub".split()
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-30, -1e-30, 80.0, -80.0, 1e30, float("inf"), -float("inf"), float("nan"))


def _values(library: Any, dtype: str, size: int) -> Any:
    drawn = np.random.default_rng(3).normal(size=size - len(SPECIAL)) * 3
    return library.tensor(np.concatenate([np.array(SPECIAL), drawn]).tolist(), dtype=getattr(library, dtype))


def _bits(tensor: Any) -> bytes:
    return bytes(tensor.detach().cpu().contiguous().numpy(force=True).tobytes())


def _same(library: Any, first: Any, second: Any) -> bool:
    """Return whether two tensors have the same bits, where NaNs equal each other."""
    first, second = first.detach().cpu().double(), second.detach().cpu().double()
    return _bits(library.nan_to_num(first, nan=12345.0)) == _bits(library.nan_to_num(second, nan=12345.0))


@step(60, "facula")
def operators(report: Report) -> None:
    """Elementwise operators have the CPU's bits, in all floating dtypes, and so have their gradients."""
    library = facula()
    size = 300 if report.small else 100_000
    different: dict[str, list[str]] = {}
    count = 0
    for dtype in FLOATING[: 1 if report.small else None]:
        x = _values(library, dtype, size)
        y = library.flip(x, [0])
        for name in (*UNARY, *BINARY)[:: 12 if report.small else 1]:
            if report.is_late():
                break
            operands = (x, y)[: 1 + (name in BINARY)]
            results = []
            for device in ("cpu", "cuda"):
                own = [operand.detach().to(device).requires_grad_() for operand in operands]
                result = getattr(library, name)(*own)
                grads = library.autograd.grad(result.sum(), own, allow_unused=True) if result.requires_grad else ()
                results.append([result, *(grad for grad in grads if grad is not None)])
            count += 1
            if not all(_same(library, first, second) for first, second in zip(*results, strict=True)):
                different.setdefault(name, []).append(dtype)
    report.check("all results and gradients have the CPU's bits", not different, different)
    report.figure("compared", count)
    report.figure("different", different)
    report.figure("fallbacks", fallbacks())


@step(30, "facula")
def training(report: Report) -> None:
    """A network trains to the CPU's losses, eagerly and captured, without waits and allocations of the driver."""
    library = facula()
    steps = 6 if report.small else 50
    losses: dict[str, list[float]] = {}
    for name, device, captured in (("cpu", "cpu", False), ("eager", "cuda", False), ("captured", "cuda", True)):
        take_step = _perceptron(library, device, 32 if report.small else 256)
        if captured:
            take_step = library.capture(take_step)
        kept, waited = [], []
        for number in range(steps):
            if number == 3:
                synchronize()
                begin = time.perf_counter()
            before = waits()
            kept.append(take_step().detach().clone())
            waited.append(waits() - before)
        if device == "cuda":
            # Some calls of a captured function are checked, which compares constants on the host.
            fewest = min(waited[3:]) if captured else max(waited[3:])
            report.check(f"a step makes no waits: {name}", not fewest, waited)
            synchronize()
            report.figure(f"{name}_step_us", (time.perf_counter() - begin) * 1e6 / (steps - 3))
        losses[name] = [loss.item() for loss in kept]
    report.figure("losses", losses)
    report.check("losses are the CPU's", np.allclose(losses["cpu"], losses["eager"], rtol=1e-4), losses)
    report.check("captured losses are the eager ones", losses["eager"] == losses["captured"], losses)
    report.check("the last loss is less than the first", losses["eager"][-1] < losses["eager"][0], losses["eager"])


def _perceptron(library: Any, device: str, width: int) -> Callable[[], Any]:
    """Return a function that trains a network for one step and returns the loss."""
    nn = library.nn
    library.manual_seed(0)
    model = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 10)).to(device)
    optimizer = library.optim.AdamW(model.parameters(), lr=1e-3)
    data = library.randn(64, width).to(device)
    target = (library.arange(64) % 10).to(device)

    def take_step() -> Any:
        loss = nn.functional.cross_entropy(model(data), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return take_step


def _launches(call: Callable[[], object]) -> int:
    """Return how many plans a call launches."""
    launched: list[object] = []
    with listen(lambda plan, arguments: launched.append(plan.operator)):
        call()
    return len(launched)


def _measure(report: Report, library: Any, make: Callable[..., Any], half: bool) -> list[float]:
    """Train a model for some steps and record time, launches, waits and memory; return the losses."""
    ours, small = name_of(library) == "facula", report.small
    library.manual_seed(0)
    model, draw = make(library, small)
    model = model.to("cuda")
    optimizer = library.optim.AdamW(model.parameters(), lr=1e-4)
    data, target = (drawn.to("cuda") for drawn in draw())
    wait = synchronize if ours else library.cuda.synchronize

    def take_step() -> Any:
        optimizer.zero_grad()
        with library.autocast("cuda", dtype=library.bfloat16, enabled=half):
            loss = library.nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    losses = [take_step() for _ in range(3)]
    found: dict[str, Any] = {"launches": _launches(take_step)} if ours else {}
    wait()
    waited, before, steps = waits(), fallbacks(), 2 if small else 10
    begin = time.perf_counter()
    losses += [take_step() for _ in range(steps)]
    queued = (time.perf_counter() - begin) / steps
    if ours:
        found["waits"] = (waits() - waited) / steps
        found["fallbacks"] = sorted(name for name, count in fallbacks().items() if count != before.get(name, 0))
    wait()
    found["step_ms"] = round((time.perf_counter() - begin) / steps * 1e3, 3)
    found["host_ms"] = round(queued * 1e3, 3)
    found["peak_mib"] = round(library.cuda.max_memory_allocated() / 2**20, 3)
    name = f"{name_of(library)}{', bfloat16' if half else ''}"
    report.figure(name, found)
    report.figure("fallbacks", found.get("fallbacks", []) if ours else report.figures.get("fallbacks", []))
    values = [loss.item() for loss in losses]
    report.check(f"the last loss is less than the first: {name}", values[-1] < values[0], values)
    if ours:
        report.check(
            f"a step makes no waits but for operators on the CPU: {name}",
            bool(found["fallbacks"]) or not found["waits"],
            found,
        )
    return values


def _models(report: Report, make: Callable[..., Any]) -> None:
    for half in (False, True)[: 1 if report.small else 2]:
        for library in libraries():
            if not report.is_late():
                _measure(report, library, make, half)
                library.cuda.empty_cache()


@step(45, "facula")
def resnet(report: Report) -> None:
    """Training steps of ResNet-18 with 64 images: time, launches, waits and memory, beside PyTorch."""
    _models(report, resnet18)


@step(45, "facula")
def gpt(report: Report) -> None:
    """Training steps of GPT-2 small with 4 x 1024 tokens: time, launches, waits and memory, beside PyTorch."""
    _models(report, gpt2)
