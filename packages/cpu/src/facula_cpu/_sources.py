"""The C sources of element functions, for backends that compile them for other processors."""

from __future__ import annotations

from pathlib import Path


def element_sources() -> Path:
    """Return the folder of the element functions' sources, for the compiler's include path.

    Its folder `elements` contains scalar C without loops, which also compiles as C++. Headers include one another as
    `"elements/half.h"`. A template `*.inc` expects macros: `T` (the type), `SUFFIX` (its name), `NAME(x)`, which
    appends the name, and one for each kind of definition (`UNARY`, `BINARY`, `COMPARE`, ...: see csrc/loops/loops.inc).
    The first lines of a template list others, such as `W` of `integer.inc`.

    >>> (element_sources() / "elements" / "floating.inc").is_file()
    True
    """
    return Path(__file__).parent / "sources"
