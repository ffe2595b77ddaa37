"""facula.__config__: build information and the number of threads."""

from __future__ import annotations

import platform

import numpy as np

from facula_cpu import get_num_threads, level

from . import version
from ._lookup.names import publish

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Return versions and the instruction set that kernels use, as several lines of text.

    >>> print(show().splitlines()[0])
    facula built with:
    """
    return (
        f"facula built with:\n  - facula {version.facula}\n  - Python {platform.python_version()}\n  - NumPy "
        f"{np.__version__}\n  - CPU kernels: {level()}\n  - devices: cpu\n"
    )


def parallel_info() -> str:
    """Return the number of threads that kernels use, as text."""
    return f"facula/parallel:\n\tget_num_threads() : {get_num_threads()}\n"


publish(__name__)
