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
    devices = ["cpu", *[f"cuda:{index} ({cuda.get_device_name(index)})" for index in range(cuda.device_count())]]
    return (
        f"facula built with:\n  - facula {version.facula}\n  - Python {platform.python_version()}\n  - NumPy "
        f"{np.__version__}\n  - CPU kernels: {level()}\n  - devices: {', '.join(devices)}\n"
    )


def parallel_info() -> str:
    """Return the number of threads that kernels use, as text."""
    return f"facula/parallel:\n\tget_num_threads() : {get_num_threads()}\n"


publish(__name__)
