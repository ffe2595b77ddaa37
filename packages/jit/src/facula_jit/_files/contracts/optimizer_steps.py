"""Contracts of optimizer steps: planners check all properties except the grouping of tensors into rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = {"sgd_step": 6, "adam_step": 7, "rmsprop_step": 6, "rmsprop_centered_step": 6, "adadelta_step": 5,
           "adagrad_step": 5, "adamax_step": 6, "nadam_step": 8, "radam_step": 7, "asgd_step": 6, "rprop_step": 5,
           "adafactor_step": 7, "adafactor_vector_step": 7}  # fmt: skip
"""The number of scalars at the start of each launch."""


def step(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for complete rows with a valid number of tensors."""
    (width,) = parameters
    return (
        type(width) is int and 2 <= width <= 8 and bool(inputs) and len(inputs) % width == 0 and None not in inputs
    ) and not outputs


CONTRACTS: dict[str, Callable[[Any, Any, Any], bool]] = dict.fromkeys(NUMBERS, step)
