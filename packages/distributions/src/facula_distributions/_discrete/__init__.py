"""Discrete distributions: trials, categories and counts."""
