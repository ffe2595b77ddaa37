"""Transforms of values: the base class, transforms of elements and of vectors, and transforms made of others."""
