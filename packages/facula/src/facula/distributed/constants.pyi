"""Names of PyTorch's torch.distributed.constants, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._rare import PG_TIMEOUT as default_pg_timeout
