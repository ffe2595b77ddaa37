"""Contracts of optimizer steps: planners check all properties except the grouping of tensors into rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_cpu.extend import STEP_NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable


def step(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for complete rows with a valid number of tensors."""
    (width,) = parameters
    return (
        type(width) is int and 2 <= width <= 8 and bool(inputs) and len(inputs) % width == 0 and None not in inputs
    ) and not outputs


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = dict.fromkeys(STEP_NUMBERS, step)
