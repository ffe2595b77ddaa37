"""Discrete distributions: of trials, categories and counts."""
