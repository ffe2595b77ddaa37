"""Source code: syntax trees of functions, the names that statements read and bind, and functions split at a line."""

from facula_errors.extend import moved

moved(__name__)  # import paths stored in pickles of earlier releases
