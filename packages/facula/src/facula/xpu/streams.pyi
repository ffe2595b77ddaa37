"""Names of PyTorch's torch.xpu.streams, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.xpu import Event as Event
from facula.xpu import Stream as Stream
