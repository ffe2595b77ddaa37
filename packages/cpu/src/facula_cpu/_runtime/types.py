"""What planners are given and make, for annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_storage import Layout, Plan

if TYPE_CHECKING:
    from .._kernels import CData

# What an operator's planner and its declaration agree on: numbers, dims, names.
Parameters: TypeAlias = tuple[Any, ...]
Layouts: TypeAlias = tuple[Layout, ...]
# Layouts of arrays; the type of a Python number that is given at launch; None for an operand that is left out.
Inputs: TypeAlias = tuple[Layout | type[complex] | None, ...]
Struct: TypeAlias = "CData"  # of C
# Each planner says what it takes of Inputs.
Planner: TypeAlias = Callable[[str, Any, Layouts, Parameters], Plan]
