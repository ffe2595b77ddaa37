"""Arrays: reductions, indexing, and operators along a dimension."""

from . import gather as gather
from . import index as index
from . import lines as lines
from . import reduce as reduce
