"""Names of PyTorch's torch.mps.event, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.mps import Event as Event
