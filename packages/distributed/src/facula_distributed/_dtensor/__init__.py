"""Distributed tensors: meshes of processes, placements, their changes, and rules of operators."""
