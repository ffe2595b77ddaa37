"""facula.nn.parallel: one model on several devices; there is one device so far.

May import: siblings. Where next: `data_parallel.py`, `distributed.py`.
"""

from ..._lookup.names import publish
from . import distributed
from .data_parallel import DataParallel, data_parallel  # the function, over the module of its name, as in PyTorch
from .distributed import DistributedDataParallel

publish(__name__)
