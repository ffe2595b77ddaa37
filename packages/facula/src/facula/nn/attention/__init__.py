"""facula.nn.attention: selection of attention kernels, and attention modified by functions of positions.

May import: siblings. Where next: its section of `_places.txt`.
"""

from ..._lookup.names import make_of_rows

make_of_rows(__name__)
