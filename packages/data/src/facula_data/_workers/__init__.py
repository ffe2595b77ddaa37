"""Workers: threads and processes that make batches ahead of the program."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
