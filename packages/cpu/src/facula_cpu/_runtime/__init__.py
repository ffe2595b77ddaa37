"""Runtime: the kernel table, binding kernels to plans, and threads."""
