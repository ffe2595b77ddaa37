"""facula_errors: the errors of the library, and tracebacks that end where the user can act.

What it is: `FaculaError` and one class for each kind of error, each of them also Python's builtin; `full_traceback`.
May import: the standard library alone. Every sibling may import it.
Where next: `_classes.py` for the classes, Note [Trimming] in `_trimming.py` for how an error leaves the library;
`extend.py` is for sibling packages.
"""

from ._classes import (
    ArgumentError,
    BlockedFileError,
    BufferAccessError,
    CorruptFileError,
    DirectoryError,
    DivisionError,
    DTypeError,
    FaculaError,
    FileAccessError,
    FileError,
    FileModeError,
    IndexTypeError,
    InvalidIndexError,
    InvalidTypeError,
    InvalidValueError,
    MissingAttributeError,
    MissingFileError,
    MissingKeyError,
    MissingModuleError,
    MissingPackageError,
    NoDirectoryError,
    NoMemoryError,
    NumberOverflowError,
    OperationError,
    RangeError,
    UnsupportedError,
)
from ._public import published as _published
from ._trimming import full_traceback

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "BlockedFileError",
    "BufferAccessError",
    "CorruptFileError",
    "DTypeError",
    "DirectoryError",
    "DivisionError",
    "FaculaError",
    "FileAccessError",
    "FileError",
    "FileModeError",
    "IndexTypeError",
    "InvalidIndexError",
    "InvalidTypeError",
    "InvalidValueError",
    "MissingAttributeError",
    "MissingFileError",
    "MissingKeyError",
    "MissingModuleError",
    "MissingPackageError",
    "NoDirectoryError",
    "NoMemoryError",
    "NumberOverflowError",
    "OperationError",
    "RangeError",
    "UnsupportedError",
    "full_traceback",
]


__dir__ = _published(__name__)
