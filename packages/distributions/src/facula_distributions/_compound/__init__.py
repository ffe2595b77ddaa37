"""Distributions composed of others: independent batches, transformed distributions and mixtures."""
