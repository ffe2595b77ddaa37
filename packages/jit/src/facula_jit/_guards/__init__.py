"""Guards: the Python state that a captured function reads besides its arguments, found from the instructions it
runs.
"""

from facula_errors.extend import moved

moved(__name__)  # import paths stored in pickles of earlier releases
