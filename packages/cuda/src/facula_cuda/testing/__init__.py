"""Kernels on a machine without a GPU: `build` compiles them for the CPU, by g++."""
