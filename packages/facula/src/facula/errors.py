"""facula.errors: what is raised on purpose, and how much of a traceback is shown.

Every error of the library is a `FaculaError`, and Python's builtin of its kind as well. Its traceback ends at the line
of the program that called the library; `full_traceback(True)` or `FACULA_FULL_TRACEBACK=1` shows the rest.
May import: siblings. Where next: `facula_errors`, Note [Trimming] in its `_trimming.py`.
"""

# ruff: noqa: F403, F405  the face takes over what its siblings list as public
from ._names import publish
from ._siblings import needs

with needs("facula.errors"):
    from facula_allocator import OutOfMemoryError
    from facula_autograd import (
        AnomalyError,
        AutogradError,
        FreedGraphError,
        GradcheckError,
        GradientError,
        MutationError,
    )
    from facula_checkpoint import CheckpointError
    from facula_data import CollateError, CollateTypeError
    from facula_errors import *

__all__ = [
    "AnomalyError", "ArgumentError", "AutogradError", "BlockedFileError", "BufferAccessError", "CheckpointError",
    "CollateError", "CollateTypeError", "CorruptFileError", "DTypeError", "DirectoryError", "DivisionError",
    "FaculaError", "FileAccessError", "FileError", "FileModeError", "FreedGraphError", "GradcheckError",
    "GradientError", "IndexTypeError", "InvalidIndexError", "InvalidTypeError", "InvalidValueError",
    "MissingAttributeError", "MissingFileError", "MissingKeyError", "MissingModuleError", "MissingPackageError",
    "MutationError", "NoDirectoryError", "NoMemoryError", "NumberOverflowError", "OperationError", "OutOfMemoryError",
    "RangeError", "UnsupportedError", "full_traceback",
]  # fmt: skip

publish(__name__)
