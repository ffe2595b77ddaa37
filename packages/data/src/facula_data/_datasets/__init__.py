"""Datasets: samples by index or as a stream, and datasets composed of other datasets."""

from facula_errors.extend import moved

moved(__name__)  # paths in pickles of earlier releases
