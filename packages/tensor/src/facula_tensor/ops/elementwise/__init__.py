"""Elementwise operators: arithmetic, functions of one element, comparisons, logic, and complex numbers."""
