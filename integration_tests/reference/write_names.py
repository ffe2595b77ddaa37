"""Write the public names of PyTorch as text next to the code that reports missing names: `nox -s conformance`.

Only names, by module: they distinguish missing names from misspelt ones.
"""

from __future__ import annotations

import importlib
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import torch

PACKAGES = Path(__file__).resolve().parents[2] / "packages"
HEAD = "# Public names of PyTorch {}. Written by integration_tests/reference/write_names.py.\n"
MODULES = [
    "autograd", "autograd.function", "autograd.functional", "autograd.graph", "cuda", "distributions",
    "distributions.constraints", "distributions.kl", "distributions.utils", "linalg", "nn", "nn.attention",
    "nn.functional", "nn.init", "nn.parameter", "nn.utils", "nn.utils.rnn", "optim", "optim.lr_scheduler",
    "optim.optimizer", "optim.swa_utils", "special", "testing", "utils", "utils.checkpoint", "utils.data",
    "utils.data.dataloader", "utils.data.dataset", "utils.data.sampler",
    "__config__", "accelerator", "amp", "amp.autocast_mode", "amp.grad_scaler", "autograd.grad_mode",
    "autograd.profiler", "autograd.variable", "backends", "backends.cpu", "backends.cuda", "backends.cudnn",
    "backends.mkl", "backends.mkldnn", "backends.mps", "backends.openmp", "backends.opt_einsum", "compiler", "cpu",
    "cuda.amp", "distributed", "distributed.device_mesh", "distributed.fsdp", "distributed.optim",
    "distributed.tensor", "export", "fft", "func", "fx", "hub", "jit", "mps", "multiprocessing", "nn.parallel", "onnx",
    "profiler", "random", "serialization", "sparse", "utils.benchmark", "utils.data.distributed", "version", "xpu",
]  # fmt: skip
ELSEWHERE = (sys.stdlib_module_names - {"builtins"}) | {"numpy", "typing_extensions"}
FILES = {
    "tensor": {"torch.Tensor": torch.Tensor},
    "nn": {"torch.nn.Module": torch.nn.Module},
    "facula": {
        "torch": torch,
        **{f"torch.{name}": importlib.import_module(f"torch.{name}") for name in MODULES},
        "torch.nn.modules": torch.nn.modules,
    },
}


def foreign(name: str, value: object) -> bool:
    """Return whether a module merely imported this object."""
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    top = home.partition(".")[0] if isinstance(home, str) else ""
    return name in ("TYPE_CHECKING", "annotations", "torch") or top in ELSEWHERE


def public_names(owner: object) -> list[str]:
    """Return the names that a module lists as public, or that have no leading underscore."""
    names = {name for name in (*getattr(owner, "__all__", ()), *dir(owner)) if not name.startswith("_")}
    return sorted(name for name in names if not foreign(name, getattr(owner, name, None)))


def submodules() -> list[str]:
    """Return the modules that can be imported, down to torch.A.B."""
    root = Path(torch.__file__).parent
    found = set()
    for pattern in ("*.py", "*/__init__.py", "*/*.py", "*/*/__init__.py"):
        for path in root.glob(pattern):
            parts = path.relative_to(root).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if parts and not any(part.startswith("_") for part in parts):
                found.add(".".join(("torch", *parts)))
    return sorted(found)


def section(title: str, names: list[str]) -> str:
    return f"\n[{title}]\n" + textwrap.fill(" ".join(names), 120, break_long_words=False) + "\n"


if __name__ == "__main__":
    for package, owners in FILES.items():
        folder = "facula" if package == "facula" else f"facula_{package}"
        target = PACKAGES / package / "src" / folder / "_pytorch.txt"
        text = HEAD.format(torch.__version__.partition("+")[0])
        text += "".join(section(title, public_names(owner)) for title, owner in owners.items())
        if package == "facula":
            text += section("modules", submodules())
        target.write_text(text)
        print(f"wrote {target.name} of {package}")
