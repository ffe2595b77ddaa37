"""Names of PyTorch's torch.nn.parallel.scatter_gather, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.nn.parallel._replicas import gather as gather
from facula.nn.parallel._replicas import scatter as scatter
from facula.nn.parallel._replicas import scatter_kwargs as scatter_kwargs
from facula.utils._pytree import is_namedtuple as is_namedtuple
