"""Planners of the operators with kernels of their own. `planners` maps operators to them; a planner may decline.

`elementwise` plans what `_generate` writes; the other modules plan the kernels and templates in kernels/. `launches`
makes the plans, and `dimensions` merges the dimensions of operands.
`general_planners` are asked after those of `planners`: for programs, and for operators that have no planner by name.
"""

from . import batch_norm as _batch_norm  # noqa: F401  # the modules register their operators
from . import classes as _classes  # noqa: F401
from . import indexing as _indexing  # noqa: F401
from . import join as _join  # noqa: F401
from . import norms as _norms  # noqa: F401
from . import optimizers as _optimizers  # noqa: F401
from . import positions as _positions  # noqa: F401
from . import products as _products  # noqa: F401
from . import random as _random  # noqa: F401
from . import reductions as _reductions  # noqa: F401
from . import rows as _rows  # noqa: F401
from .elementwise import plan_elementwise
from .registry import planner as planner
from .registry import planners as planners

general_planners = [plan_elementwise]
