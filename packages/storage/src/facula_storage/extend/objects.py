"""Functions in C on types and instances, for classes on the hot path."""

from .._bridge import collection_callback, dict_descriptor, new_instance, reorder_bases

__all__ = [
    "collection_callback",
    "dict_descriptor",
    "new_instance",
    "reorder_bases",
]
