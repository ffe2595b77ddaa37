"""Host memory: regions from the system, size classes of blocks, `HostAllocator` and its statistics."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
