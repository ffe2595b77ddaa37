"""Convolutions, transposed convolutions, and the extraction of their windows."""

from facula_errors.extend import moved

moved(__name__)  # names in pickles of earlier releases
