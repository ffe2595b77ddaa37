"""`CachingAllocator` with its private pools, summaries and recordings; the allocators of devices.

`storage_allocator.py` adapts one to tensors, `following.py` puts one behind host memory, `recovery.py` retries calls
after an out-of-memory error.
"""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
