"""Capture: the decorator, captured functions, and their cache of replays by signature."""

from facula_errors.extend import moved

moved(__name__)  # import paths stored in pickles of earlier releases
