"""Information about the machine for reports: `python -m facula info`, or `python -m facula.utils.collect_env`."""

from __future__ import annotations

import os
import platform
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from facula_cpu import get_num_threads, level

from ..__config__ import device_names
from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["get_pretty_env_info", "main"]

BESIDE = ("torch", "jax", "cupy", "onnxruntime")  # libraries that programs use together with facula


def get_pretty_env_info() -> str:
    """Return versions, kernels, threads, devices and settings, one per line; no other library is imported.

    >>> print(get_pretty_env_info())  # doctest: +ELLIPSIS
    facula: ...
    """
    versions = {dist.name.lower().replace("_", "-"): dist.version for dist in distributions() if dist.name}
    own = {name: number for name, number in sorted(versions.items()) if name.partition("-")[0] == "facula"}
    lines = {
        "facula": ", ".join(f"{name.removeprefix('facula-')} {number}" for name, number in own.items()),
        "Python": f"{platform.python_version()} ({platform.python_implementation()}), {platform.platform()}",
        "NumPy": np.__version__,
        "also installed": ", ".join(f"{name} {versions[name]}" for name in BESIDE if name in versions) or "none",
        "processor": f"{_processor()}, {os.cpu_count()} logical cores",
        "kernels": _text_or_error(lambda: f"{level()}, {get_num_threads()} threads"),
        "devices": _text_or_error(device_names),
        "settings": ", ".join(f"{name}={os.environ[name]}" for name in sorted(os.environ) if name.startswith("FACULA_"))
        or "none",
    }
    return "\n".join(f"{name}: {text}" for name, text in lines.items())


def _text_or_error(find: Callable[[], str]) -> str:
    """Return the result of `find`; if it fails, the text of the error, so that an invalid setting is in the report."""
    try:
        return find()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _processor() -> str:
    """Return the processor's name, which `platform` does not know on Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def main() -> None:
    """Print the information."""
    print(get_pretty_env_info())


publish(__name__)

if __name__ == "__main__":
    main()
