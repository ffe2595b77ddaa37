"""What sibling packages may use of facula_checkpoint beyond its public names.

- `replacing` is a descriptor of a file that replaces another one at once or not at all.
- `parse_json` reads strict JSON, and says what is wrong with other texts.
"""

from ._atomic import replacing
from ._header import parse_json

__all__ = ["parse_json", "replacing"]
