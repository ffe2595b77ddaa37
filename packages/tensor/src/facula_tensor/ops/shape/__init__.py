"""Shape: views, transposes, slices, joins, and other arrangements of the same elements."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
