"""Sampling: the order in which an epoch takes samples, and the random numbers behind it."""
