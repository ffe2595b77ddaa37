"""Transforms of values: the base class, elementwise and vector transforms, and compositions of transforms."""
