"""Pooling: maxima and means of windows, and unpooling."""
