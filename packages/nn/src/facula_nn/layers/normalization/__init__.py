"""Normalisation over batches, examples, groups of channels, and neighbouring channels."""

from facula_errors.extend import moved

moved(__name__)  # names in pickles of earlier releases
