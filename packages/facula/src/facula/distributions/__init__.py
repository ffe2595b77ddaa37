"""facula.distributions: probability distributions; the names of facula_distributions, also at PyTorch's places.

May import: siblings. Where next: its section of `_places.txt`.
"""

from .._lookup.names import make_of_rows

make_of_rows(__name__)
