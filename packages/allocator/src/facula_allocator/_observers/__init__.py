"""Observers of an allocator: listeners, the event history with its stacks, and out-of-memory observers."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
