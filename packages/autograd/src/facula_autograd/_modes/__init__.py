"""Modes: the state of a thread or task that affects operators, and the context managers that change it."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
