"""facula.nn.utils: operations on all parameters of a network together, and sequences.

May import: siblings. Where next: its section of `_places.txt`.
"""

from ..._lookup.names import make_of_rows

make_of_rows(__name__)
