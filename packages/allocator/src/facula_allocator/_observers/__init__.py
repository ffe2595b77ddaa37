"""Observers of an allocator: listeners, the history with its stacks, functions called when memory runs out."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
