"""facula_errors: the library's exceptions, and tracebacks that end in the user's code.

The package defines `FaculaError`, a subclass for each kind of error that also derives from Python's builtin exception,
and `full_traceback`. It imports only the standard library; every sibling may import it. Start at `_classes.py` for the
classes and Note [Trimming] in `_trimming.py` for the boundary of the library; `extend.py` is for sibling packages.
"""

from . import _forks as _forks
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
