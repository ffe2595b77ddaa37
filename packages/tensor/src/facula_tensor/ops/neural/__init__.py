"""Operators of neural networks: activations, convolutions, pooling, normalization, attention, recurrence, losses."""
