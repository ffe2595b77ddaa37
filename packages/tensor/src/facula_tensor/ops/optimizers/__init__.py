"""Optimizer steps: one kernel launch updates all parameters of a group."""
