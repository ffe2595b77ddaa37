"""Meters: the time of each stage of an epoch, the bottleneck, and settings that would help."""

from facula_errors.extend import moved

moved(__name__)  # paths in pickles of earlier releases
