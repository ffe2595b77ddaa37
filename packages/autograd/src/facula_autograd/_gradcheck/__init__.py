"""`gradcheck`: comparison of derivatives with finite differences."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
