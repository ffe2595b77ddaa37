"""Names of PyTorch's torch.futures, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

Future: _Kind
collect_all: _Refusal
wait_all: _Refusal
