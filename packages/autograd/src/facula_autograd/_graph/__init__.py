"""The recorded graph: nodes and rules, edges, hooks on nodes and leaves, and calls of modules (`scopes.py`)."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
