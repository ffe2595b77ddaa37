"""Losses of regression, likelihoods, classes, margins, and unaligned sequences."""
