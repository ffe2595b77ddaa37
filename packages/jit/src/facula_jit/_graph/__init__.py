"""Graphs: a recording as calls of operators, to read, to edit, to verify and to time."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
