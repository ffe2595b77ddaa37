"""Initial values of parameters; the names of facula_nn.init."""

from .._lookup.names import make_of_rows

make_of_rows(__name__)
