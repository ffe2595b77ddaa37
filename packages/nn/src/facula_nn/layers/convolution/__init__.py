"""Convolutions and transposed ones, and the windows that they read."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
