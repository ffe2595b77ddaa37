"""Collective operations on tensors and objects, and messages between two processes, under PyTorch's names."""
