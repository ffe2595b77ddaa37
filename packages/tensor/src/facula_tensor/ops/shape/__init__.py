"""Shape: views, transposes, slices, joins, and other rearrangements of elements."""

from facula_errors.extend import moved

moved(__name__)  # resolves module names in pickles of earlier releases
