"""Distributions made of others: batch dimensions as events, transforms, mixtures."""
