"""Planners of operators that reduce, move and select elements: kernels/arrays."""

from . import indexing as indexing
from . import insets as insets
from . import join as join
from . import moves as moves
from . import positions as positions
from . import reductions as reductions
from . import scans as scans
from . import sorting as sorting
