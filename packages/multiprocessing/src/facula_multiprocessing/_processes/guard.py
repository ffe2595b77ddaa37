"""Detection of programs that start processes while a child process imports them."""

from __future__ import annotations

from multiprocessing import process

from facula_errors import OperationError

GUARD = (
    "a process that is not forked imports the program's file: put the code that starts processes under `if "
    "__name__ == '__main__':`, and the functions that they run into a file"
)


def is_imported_by_child() -> bool:
    """Return whether a process that the program started is importing the program's main file."""
    return bool(getattr(process.current_process(), "_inheriting", False))


def check_guarded() -> None:
    """Raise OperationError if a process that the program started is importing the program's main file."""
    if is_imported_by_child():
        raise OperationError(f"multiprocessing: this program starts processes while it is imported by one; {GUARD}")
