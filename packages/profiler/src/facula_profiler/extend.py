"""Functions that sibling packages may use in addition to the public names.

* `is_profiling()`: whether a profile records now.
"""

from ._recording.recording import is_profiling

__all__ = ["is_profiling"]
