"""Source code: syntax trees of functions, what their statements read and bind, and functions split at a line."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
