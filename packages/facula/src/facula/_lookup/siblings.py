"""How the face imports its siblings: what is said where one is not installed, and no garbage collection meanwhile."""

from __future__ import annotations

import gc


class needs:
    """`with needs("facula.nn"):` around imports of siblings: one that is missing is an error that says what to install.

    Raises ImportError in place of the ModuleNotFoundError for a package of ours; other errors pass. Automatic garbage
    collection pauses: an import makes tens of thousands of objects that stay, which full collections would go through
    again and again, a quarter of its time.

    >>> with needs("facula.example"):
    ...     import facula_example
    Traceback (most recent call last):
    ImportError: facula.example: the package facula-example is missing; install it from where facula came from, as \
from its source tree with: pip install ./packages/example
    """

    __slots__ = ("collects", "user")

    def __init__(self, user: str) -> None:
        self.user = user

    def __enter__(self) -> None:
        self.collects = gc.isenabled()
        gc.disable()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self.collects:
            gc.enable()
        module = error.name if isinstance(error, ModuleNotFoundError) else None
        if module is None or not module.startswith("facula_") or "." in module:
            return
        folder = module.removeprefix("facula_")
        raise ImportError(
            f"{self.user}: the package facula-{folder} is missing; install it from where facula came from, as from its "
            f"source tree with: pip install ./packages/{folder}"
        ) from error
