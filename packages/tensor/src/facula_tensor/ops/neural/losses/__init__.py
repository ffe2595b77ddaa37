"""Losses: of differences, likelihoods, classes, margins, and unaligned sequences."""
