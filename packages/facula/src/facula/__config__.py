"""facula.__config__: how this was built, and with how many threads it runs."""

from __future__ import annotations

import platform

import numpy as np

from facula_cpu import get_num_threads, level

from . import version
from ._lookup.names import publish

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Versions, and the instructions that kernels use, in some lines.

    >>> print(show().splitlines()[0])
    facula built with:
    """
    return (
        f"facula built with:\n  - facula {version.facula}\n  - Python {platform.python_version()}\n  - NumPy "
        f"{np.__version__}\n  - CPU kernels: {level()}\n  - devices: cpu\n"
    )


def parallel_info() -> str:
    """The number of threads that kernels share work among."""
    return f"facula/parallel:\n\tget_num_threads() : {get_num_threads()}\n"


publish(__name__)
