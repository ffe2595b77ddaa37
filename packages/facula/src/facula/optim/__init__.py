"""facula.optim: optimizers; the names of facula_optim.

May import: siblings. Where next: its section of `_places.txt`.
"""

from .._lookup.names import make_of_rows

make_of_rows(__name__)
