"""Batches: passes over a dataset, reading samples, and collating them."""
