"""Switching of the process to lower instruction levels, for tests."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from facula_storage.extend.plans import forget_plans

from ._elementwise import copy, elementwise, programs
from ._runtime import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "FACULA_CPU_LEVEL"


def levels() -> tuple[str, ...]:
    """Return the instruction levels that this process supports, lowest first, up to the current one.

    >>> levels()[0], levels()[-1] == registry.level()
    ('baseline', True)
    """
    return registry.LEVELS[: registry.LEVELS.index(registry.level()) + 1]


@contextmanager
def at_level(name: str) -> Iterator[None]:
    """Run a block with the kernels of one of `levels()`; all plans are rebuilt on entry and exit.

    >>> with at_level("baseline"):
    ...     registry.level()
    'baseline'
    """
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = name
    _forget()
    try:
        registry.level()  # which refuses unavailable levels
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
        _forget()


def _forget() -> None:
    """Clear the caches of kernels, and of plans that contain their addresses."""
    registry.level.cache_clear()
    registry.find_kernel.cache_clear()
    elementwise.find_form.cache_clear()
    elementwise.find_program_form.cache_clear()
    programs.compile_program.cache_clear()
    copy.launches_of_strided.cache_clear()
    forget_plans()
