"""Operators of networks as functions; the names of facula_nn.functional."""

from .._lookup.names import make_of_rows

make_of_rows(__name__)
