"""Planners of the operators with kernels of their own. `planners` maps operators to them; a planner may decline.

`elementwise` plans what `_generate` writes; the other modules plan the kernels and templates in kernels/. `launches`
makes the plans, and `dimensions` merges the dimensions of operands.
`general_planners` are asked after those of `planners`: for programs, and for operators that have no planner by name.
"""

from . import adafactor as _adafactor  # noqa: F401  # the modules register their operators
from . import arrays as _arrays  # noqa: F401
from . import layers as _layers  # noqa: F401
from . import optimizers as _optimizers  # noqa: F401
from . import products as _products  # noqa: F401
from . import random as _random  # noqa: F401
from .elementwise import plan_elementwise
from .registry import planner as planner
from .registry import planners as planners

general_planners = [plan_elementwise]
