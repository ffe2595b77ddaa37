"""Plans of launches. A backend makes them, an operator finds them in a `PlanTable`.

A `Program` describes an elementwise operator for backends. A `STATUS_*` is what a kernel returns.
"""

from .._bridge import rebind, unbind
from .._plans import (
    STATUS_DIVISOR,
    STATUS_INDEX,
    STATUS_MEMORY,
    STATUS_POSITION,
    STATUS_RANGE,
    STATUS_REQUIRED,
    STATUS_TARGET,
    Elementwise,
    PlanTable,
    forget_plans,
)
from .._programs import Instruction, Program

__all__ = [
    "STATUS_DIVISOR",
    "STATUS_INDEX",
    "STATUS_MEMORY",
    "STATUS_POSITION",
    "STATUS_RANGE",
    "STATUS_REQUIRED",
    "STATUS_TARGET",
    "Elementwise",
    "Instruction",
    "PlanTable",
    "Program",
    "forget_plans",
    "rebind",
    "unbind",
]
