"""`tqdm` if it is installed, otherwise a replacement that iterates and counts without output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    tqdm: Any
else:
    try:
        from tqdm import tqdm
    except ImportError:

        class tqdm:
            """A step counter without output; it takes the arguments of the package tqdm."""

            def __init__(
                self, iterable: Iterable[Any] = (), desc: str | None = None, total: Any = None, **options: Any
            ):
                self.iterable, self.desc, self.total, self.n = iterable, desc, total, 0

            def __iter__(self) -> Iterator[Any]:
                for item in self.iterable:
                    yield item
                    self.n += 1

            def update(self, n: float = 1) -> None:
                """Count `n` steps."""
                self.n += n

            def close(self) -> None:
                """Close the counter."""

            def __enter__(self) -> tqdm:
                return self

            def __exit__(self, *exc: object) -> None:
                self.close()
