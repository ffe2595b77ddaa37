"""Names of PyTorch's torch.accelerator.memory, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.accelerator import empty_cache as empty_cache
from facula.accelerator import get_memory_info as get_memory_info
from facula.accelerator import max_memory_allocated as max_memory_allocated
from facula.accelerator import max_memory_reserved as max_memory_reserved
from facula.accelerator import memory_allocated as memory_allocated
from facula.accelerator import memory_reserved as memory_reserved
from facula.accelerator import memory_stats as memory_stats
from facula.accelerator import reset_accumulated_memory_stats as reset_accumulated_memory_stats
from facula.accelerator import reset_peak_memory_stats as reset_peak_memory_stats
