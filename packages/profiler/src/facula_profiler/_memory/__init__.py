"""The memory of a trace by category and module.

In order of use: `lifetimes` (when each block of memory was live), `categories` (what it contained), `timeline` (bytes
over time).
"""
