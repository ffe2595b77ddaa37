"""Planners of the operators with kernels of their own. `planners` maps operators to them; a planner may decline.

`elementwise` plans what `_generate` writes; `reductions` and `rows` plan the kernels in kernels/, by `fixed`.
`general_planners` are asked after those of `planners`: for programs, and for operators that have no planner by name.
"""

from . import reductions as _reductions  # noqa: F401  # the modules register their operators
from . import rows as _rows  # noqa: F401
from .elementwise import plan_elementwise
from .registry import planner as planner
from .registry import planners as planners

general_planners = [plan_elementwise]
