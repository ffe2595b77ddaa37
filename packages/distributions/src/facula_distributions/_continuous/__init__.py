"""Continuous distributions of single numbers."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
