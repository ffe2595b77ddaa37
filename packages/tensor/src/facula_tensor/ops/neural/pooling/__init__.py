"""Pooling: windows, their greatest elements and means, and pooling undone."""
