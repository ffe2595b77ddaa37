"""Sampling: the order of samples in an epoch, and the random numbers that determine it."""
