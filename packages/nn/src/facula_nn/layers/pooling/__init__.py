"""Pooling: layers that shrink sequences, images and volumes, and those that undo it."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
