"""Names of PyTorch's torch.nn.parallel, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import distributed as distributed
from . import scatter_gather as scatter_gather
from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula.nn.parallel._replicas import gather as gather
from facula.nn.parallel._replicas import scatter as scatter
from facula.nn.parallel.data_parallel import DataParallel as DataParallel
from facula.nn.parallel.data_parallel import data_parallel as data_parallel
from facula.nn.parallel.distributed import DistributedDataParallel as DistributedDataParallel

parallel_apply: _Refusal
replicate: _Refusal
