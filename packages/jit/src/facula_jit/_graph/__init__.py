"""Graphs: recordings as calls of operators, which can be read, edited, verified and timed."""

from facula_errors.extend import moved

moved(__name__)  # import paths stored in pickles of earlier releases
