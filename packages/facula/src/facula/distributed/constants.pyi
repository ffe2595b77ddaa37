"""Names of PyTorch's torch.distributed.constants, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.rare import PG_TIMEOUT as _own_PG_TIMEOUT

default_pg_timeout = _own_PG_TIMEOUT
