"""facula.nn.parallel: one model on several devices; so far the whole batch goes to one of them.

May import: siblings. Where next: `data_parallel.py`, `distributed.py`.
"""

from ..._lookup.names import publish
from . import distributed
from .data_parallel import DataParallel, data_parallel  # the function replaces the module of its name, as in PyTorch
from .distributed import DistributedDataParallel

publish(__name__)
