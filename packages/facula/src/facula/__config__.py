"""facula.__config__: build information and the number of threads."""

from __future__ import annotations

import platform

import numpy as np

from facula_cpu import get_num_threads, level

from . import cuda, version
from ._lookup.names import publish

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Return versions, the instruction set of the CPU's kernels, and the devices, as several lines of text.

    >>> print(show().splitlines()[0])
    facula built with:
    """
    return (
        f"facula built with:\n  - facula {version.facula}\n  - Python {platform.python_version()}\n  - NumPy "
        f"{np.__version__}\n  - CPU kernels: {level()}\n  - devices: {device_names()}\n"
    )


def device_names() -> str:
    """Return the devices, with the names of GPUs, separated by commas."""
    return ", ".join(["cpu", *[f"cuda:{i} ({cuda.get_device_name(i)})" for i in range(cuda.device_count())]])


def parallel_info() -> str:
    """Return the number of threads that kernels use, as text."""
    return f"facula/parallel:\n\tget_num_threads() : {get_num_threads()}\n"


publish(__name__)
