"""Activation functions. Each layer takes a tensor of any shape and preserves it, except `GLU`."""

from facula_errors.extend import moved

moved(__name__)  # names in pickles of earlier releases
