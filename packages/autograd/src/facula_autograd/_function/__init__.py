"""User-defined operators: `Function`, its `ctx`, its nodes, and operators with several outputs."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
