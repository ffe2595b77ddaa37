"""What is said where a package that the face gives out is not installed."""

from __future__ import annotations


class needs:
    """`with needs("facula.nn"):` around imports of siblings: one that is missing is an error that says what to install.

    Raises ImportError in place of the ModuleNotFoundError for a package of ours; other errors pass.

    >>> with needs("facula.example"):
    ...     import facula_example
    Traceback (most recent call last):
    ImportError: facula.example: the package facula-example is missing; install it from where facula came from, as \
from its source tree with: pip install ./packages/example
    """

    __slots__ = ("user",)

    def __init__(self, user: str) -> None:
        self.user = user

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        module = error.name if isinstance(error, ModuleNotFoundError) else None
        if module is None or not module.startswith("facula_") or "." in module:
            return
        folder = module.removeprefix("facula_")
        raise ImportError(
            f"{self.user}: the package facula-{folder} is missing; install it from where facula came from, as from its "
            f"source tree with: pip install ./packages/{folder}"
        ) from error
