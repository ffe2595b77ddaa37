"""Imports of siblings: an explanatory error if one is not installed, and no garbage collection during imports."""

from __future__ import annotations

import gc


class needs:
    """Context manager around imports of siblings, `with needs("facula.nn"):`, that explains missing ones.

    Raises ImportError, with the package to install, in place of ModuleNotFoundError for a package of ours; other errors
    pass. Automatic garbage collection pauses: an import creates tens of thousands of permanent objects, and repeated
    full collections would take a quarter of its time.

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
