"""Arenas: shared memory of the kernel's, blocks in it, and who holds which."""
