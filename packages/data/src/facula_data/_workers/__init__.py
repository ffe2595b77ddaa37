"""Workers: threads and processes that prefetch batches for the program."""

from facula_errors.extend import moved

moved(__name__)  # paths in pickles of earlier releases
