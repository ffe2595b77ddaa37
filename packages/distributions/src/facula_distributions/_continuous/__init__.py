"""Continuous univariate distributions."""

from facula_errors.extend import moved

moved(__name__)  # names in pickles of earlier releases
