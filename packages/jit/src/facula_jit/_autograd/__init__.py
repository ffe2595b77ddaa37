"""Gradients: backward passes into, out of and inside captured functions."""
