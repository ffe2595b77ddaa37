"""Nonlinearities. Each layer takes a tensor of any shape and, but for `GLU`, keeps it."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
