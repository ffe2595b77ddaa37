"""Names of PyTorch's torch.futures, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

Future: Kind
collect_all: Refusal
wait_all: Refusal
