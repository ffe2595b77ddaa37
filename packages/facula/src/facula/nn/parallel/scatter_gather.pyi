"""Names of PyTorch's torch.nn.parallel.scatter_gather, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal
from facula.utils._pytree import is_namedtuple as is_namedtuple

gather: Refusal
scatter: Refusal
scatter_kwargs: Refusal
