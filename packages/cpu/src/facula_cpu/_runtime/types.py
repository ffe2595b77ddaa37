"""Types of planners' arguments and results, for annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_storage import Layout, Plan

if TYPE_CHECKING:
    from .._kernels import CData

# The interface between an operator's planner and its declaration: numbers, dims, names.
Parameters: TypeAlias = tuple[Any, ...]
Layouts: TypeAlias = tuple[Layout, ...]
# Layouts of arrays; the type of a Python number that is passed at launch; None for an omitted operand.
Inputs: TypeAlias = tuple[Layout | type[complex] | None, ...]
Struct: TypeAlias = "CData"  # of C
ForLayouts: TypeAlias = Callable[..., "Callable[..., None] | None"]  # as `Plan.for_layouts`
# Each planner documents the Inputs that it accepts.
Planner: TypeAlias = Callable[[str, Any, Layouts, Parameters], Plan]
