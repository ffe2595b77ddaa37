"""facula.nn.parallel: one model on several devices.

May import: siblings. Where next: `data_parallel.py`, `_replicas.py`, `distributed.py`.
"""

from ..._lookup.names import publish
from . import distributed
from .data_parallel import DataParallel, data_parallel  # the function replaces the module of its name, as in PyTorch
from .distributed import DistributedDataParallel

publish(__name__)
