"""Rows of memory: blocks of the allocators, large results, and the peaks of traces under several policies."""
