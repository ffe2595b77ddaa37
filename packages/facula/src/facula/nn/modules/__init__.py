"""facula.nn.modules: all modules, and PyTorch's places for each family, as rows of `_places.txt`."""

from ..._lookup.names import make_of_rows

make_of_rows(__name__)
