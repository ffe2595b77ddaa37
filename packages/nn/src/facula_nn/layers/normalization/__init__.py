"""Normalisation of batches, of examples and their channels, and of neighbouring channels."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
