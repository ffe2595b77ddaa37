"""Loss functions: scalar measures of the difference between outputs and targets."""

from facula_errors.extend import moved

moved(__name__)  # names in pickles of earlier releases
