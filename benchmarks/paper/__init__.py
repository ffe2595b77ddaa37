"""Figures 1 and 2 of the paper, drawn from traces of facula's profiler; see `__main__.py`."""
