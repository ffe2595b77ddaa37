"""Arenas: shared memory of the kernel, its blocks, and their holders."""
