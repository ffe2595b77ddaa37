"""`CachingAllocator`, its private pools, summaries and recordings, and the allocators of devices.

`storage_allocator.py` adapts a caching allocator to tensors, `following.py` routes host memory through one, and
`recovery.py` retries calls after an out-of-memory error.
"""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
