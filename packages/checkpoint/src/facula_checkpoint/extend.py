"""What sibling packages may use of facula_checkpoint beyond its public names.

- `replacing` is a descriptor of a file that replaces another one at once or not at all.
- `parse_json` reads strict JSON, and says what is wrong with other texts.
- `resolved` is a path, or an open binary file; `shown` what it is called in messages; `take` and `write_pieces` read
  and write such a file, as many bytes as there are.
"""

from ._atomic import replacing
from ._header import parse_json
from ._streams import resolved, shown, take, write_pieces

__all__ = ["parse_json", "replacing", "resolved", "shown", "take", "write_pieces"]
