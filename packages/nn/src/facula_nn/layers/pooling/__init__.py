"""Pooling layers, which reduce sequences, images and volumes, and their inverses."""

from facula_errors.extend import moved

moved(__name__)  # names in pickles of earlier releases
