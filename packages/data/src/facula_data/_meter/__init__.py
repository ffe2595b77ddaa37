"""Meters: where the time of an epoch went, what held it up, and which settings would help."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
