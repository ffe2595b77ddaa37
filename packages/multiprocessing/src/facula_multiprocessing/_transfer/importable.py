"""A check that a process that is not forked can import the objects it receives, unlike those of a notebook."""

from __future__ import annotations

import os
import pickletools
import sys

from facula_errors import OperationError


def check_importable(data: bytes) -> None:
    """Raise OperationError if a pickle of protocol 5 refers to a name that another process cannot import."""
    if b"__main__" not in data:
        return
    main = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is not None or os.path.isfile(getattr(main, "__file__", "")):
        return
    texts: list[object] = []
    for code, argument, _ in pickletools.genops(data):
        if "UNICODE" in code.name:
            texts.append(argument)
        elif code.name == "STACK_GLOBAL" and texts[-2:-1] == ["__main__"]:
            raise OperationError(
                f"multiprocessing: {texts[-1]!r} was typed into a notebook or an interpreter, where another process "
                "cannot find it; write it into a file and import that, or use the start method 'fork'"
            )
