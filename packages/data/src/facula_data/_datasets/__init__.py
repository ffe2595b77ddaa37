"""Datasets: samples by index or as a stream, and datasets made of others."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
