"""Tensor-dependent control flow: conditions, loops and scans, recorded or eager."""
