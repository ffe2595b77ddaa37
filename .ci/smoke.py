"""Try the installed packages without a compiler: `python .ci/smoke.py LEVEL`, a kernel level or "" for the best."""

import doctest
import importlib
import shutil
import sys

PACKAGES = (
    "allocator", "autograd", "checkpoint", "cpu", "cuda", "data", "distributed", "distributions", "errors", "jit",
    "multiprocessing", "nn", "optim", "profiler", "storage", "tensor",
)  # fmt: skip
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def train() -> None:
    """Fit a line, eagerly and as a captured function; both losses must fall and agree."""
    import facula

    losses = []
    for is_captured in (False, True):
        facula.manual_seed(0)
        x = facula.randn(64, 3)
        y = x @ facula.tensor([[1.0], [2.0], [3.0]])
        model = facula.nn.Linear(3, 1)
        optimizer = facula.optim.SGD(model.parameters(), lr=0.1)

        def step(x=x, y=y, model=model, optimizer=optimizer):
            loss = facula.nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss

        run = facula.jit.capture(step) if is_captured else step
        losses.append([float(run()) for _ in range(20)])
    assert losses[0][-1] < losses[0][0] / 10, losses
    assert all(abs(a - b) < 1e-5 for a, b in zip(*losses, strict=True)), losses


def main(wanted: str) -> None:
    """Import all packages, train, and run the examples of each package's first module."""
    assert not shutil.which("gcc") and not shutil.which("cc"), "expected a PATH without a compiler"
    modules = [importlib.import_module(f"facula_{name}") for name in PACKAGES]
    modules.append(importlib.import_module("facula"))
    elsewhere = [module.__file__ for module in modules if not module.__file__.startswith(sys.prefix)]
    assert not elsewhere, f"expected packages that are installed in {sys.prefix}; got {elsewhere}"
    level = sys.modules["facula_cpu"].level()
    assert wanted in ("", level), f"expected kernels at {wanted}; got {level}"
    train()
    attempted = 0
    for module in modules:
        for name in module.__all__:
            getattr(module, name)  # some are defined at first use
        result = doctest.testmod(module, optionflags=FLAGS)
        assert not result.failed, f"{module.__name__}: {result.failed} of {result.attempted} examples"
        attempted += result.attempted
    assert attempted > 500, attempted
    print(f"Python {sys.version.split()[0]}, kernels at {level}: {len(modules)} packages, {attempted} examples")


if __name__ == "__main__":
    main(sys.argv[1])
