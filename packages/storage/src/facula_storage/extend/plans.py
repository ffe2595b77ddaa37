"""Plans of launches. A backend makes them, an operator finds them in a `PlanTable`.

A `Program` describes an elementwise operator for backends. A `STATUS_*` is what a kernel returns.
An `Observer` replaces the launches of all tables, as profilers do.
`flops` counts the floating-point operations of a call.
"""

from .._bridge import rebind, unbind, workspace_of
from .._costs import PRODUCTS, flops
from .._plans import (
    STATUS_DIVISOR,
    STATUS_INDEX,
    STATUS_MEMORY,
    STATUS_POSITION,
    STATUS_RANGE,
    STATUS_REQUIRED,
    STATUS_TARGET,
    Elementwise,
    Observer,
    PlanTable,
    add_observer,
    forget_plans,
    remove_observer,
)
from .._programs import Instruction, Program

__all__ = [
    "PRODUCTS",
    "STATUS_DIVISOR",
    "STATUS_INDEX",
    "STATUS_MEMORY",
    "STATUS_POSITION",
    "STATUS_RANGE",
    "STATUS_REQUIRED",
    "STATUS_TARGET",
    "Elementwise",
    "Instruction",
    "Observer",
    "PlanTable",
    "Program",
    "add_observer",
    "flops",
    "forget_plans",
    "rebind",
    "remove_observer",
    "unbind",
    "workspace_of",
]
