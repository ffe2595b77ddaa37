"""The planners of operators that have kernels of their own, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from facula_storage import Layout, Plan

#: `planner(operator, inputs, outputs, parameters)` returns a plan, or None: the operator then falls back to the CPU.
Planner = Callable[[str, tuple[Any, ...], tuple[Layout, ...], tuple[Any, ...]], Plan | None]

planners: dict[str, Planner] = {}


def planner(*operators: str) -> Callable[[Planner], Planner]:
    """Register the decorated function as the planner of these operators."""

    def register(function: Planner) -> Planner:
        for operator in operators:
            planners[operator] = function
        return function

    return register
