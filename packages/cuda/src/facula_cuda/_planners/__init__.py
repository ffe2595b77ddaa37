"""Planners of the operators with kernels of their own. `planners` maps operators to them; a planner may decline."""

from .registry import planner as planner
from .registry import planners as planners
