"""The exception classes: a common base, and a subclass for each of Python's kinds of errors.

Each class also derives from the builtin exception, so that `except ValueError` keeps working. Packages that need more
specific classes derive them from `FaculaError` and a builtin.
"""

from __future__ import annotations

from io import UnsupportedOperation
from os import PathLike, fspath


class FaculaError(Exception):
    """Base of all errors that the library raises deliberately. Other exceptions are bugs in the library or the program.

    >>> issubclass(InvalidValueError, ValueError) and issubclass(InvalidValueError, FaculaError)
    True
    """


class InvalidValueError(FaculaError, ValueError):
    """An argument of the right type with an invalid value."""


class InvalidTypeError(FaculaError, TypeError):
    """An argument of an invalid type."""


class InvalidIndexError(FaculaError, IndexError):
    """An index or a dimension that is out of range."""


class MissingKeyError(FaculaError, KeyError):
    """A missing key or name. Its message is shown without the quotes of a KeyError.

    >>> str(MissingKeyError("no parameter 'w'"))
    "no parameter 'w'"
    """

    def __str__(self) -> str:
        return Exception.__str__(self)


class MissingAttributeError(FaculaError, AttributeError):
    """An attribute that an object or a module lacks."""


class OperationError(FaculaError, RuntimeError):
    """An operation that is impossible in the current state or for this object."""


class UnsupportedError(FaculaError, NotImplementedError):
    """An operation that is not supported, or that a subclass must define."""


class NumberOverflowError(FaculaError, OverflowError):
    """A number that is too large for its destination."""


class NoMemoryError(FaculaError, MemoryError):
    """A failed allocation of memory."""


class BufferAccessError(FaculaError, BufferError):
    """Memory that cannot be shared, written or resized."""


class FileError(FaculaError, OSError):
    """A file that cannot be read or written. As with OSError, the error number selects the subclass.

    >>> from errno import ENOENT
    >>> isinstance(FileError(ENOENT, "there is none", "weights"), FileNotFoundError)
    True
    """

    def __new__(cls, *args: object) -> FileError:
        if cls is FileError:
            builtin = type(OSError(*args))
            if builtin is not OSError:
                cls = next(
                    (candidate for candidate in FileError.__subclasses__() if issubclass(candidate, builtin)), cls
                )
        return super().__new__(cls, *args)


class MissingFileError(FileError, FileNotFoundError):
    """A file that does not exist."""


class FileAccessError(FileError, PermissionError):
    """A file without the required permissions."""


class DirectoryError(FileError, IsADirectoryError):
    """A directory where a file was expected."""


class NoDirectoryError(FileError, NotADirectoryError):
    """A file where a directory was expected."""


class BlockedFileError(FileError, BlockingIOError):
    """A file operation that would block."""


class FileModeError(FileError, UnsupportedOperation):
    """A file that was opened in another mode."""


class CorruptFileError(InvalidValueError):
    """A file with damaged contents or an unexpected format.

    Arguments:
        operation: the operation that was reading.
        path: the file, or the name of the sample within an archive.
        place: the position in the file: `"byte 16"`, `"row 3 (line 4)"`; `""` if unknown.
        problem: the expectation and the actual contents.
        remedy: the suggested remedy.

    >>> raise CorruptFileError("read_idx", "train.idx", "byte 0", "expected two zero bytes; got b'PK'", "unpack it")
    Traceback (most recent call last):
    facula_errors.CorruptFileError: read_idx: expected two zero bytes; got b'PK'; at byte 0 of train.idx; unpack it
    """

    operation: str
    path: str
    place: str
    problem: str
    remedy: str

    def __init__(self, operation: str, path: str | PathLike[str], place: str, problem: str, remedy: str) -> None:
        path = fspath(path)
        super().__init__(operation, path, place, problem, remedy)
        self.operation, self.path, self.place, self.problem, self.remedy = operation, path, place, problem, remedy

    def __str__(self) -> str:
        where = f"at {self.place} of {self.path}" if self.place else f"in {self.path}"
        return f"{self.operation}: {self.problem}; {where}; {self.remedy}"


class MissingPackageError(FaculaError, ImportError):
    """A package that is not installed."""


class MissingModuleError(FaculaError, ModuleNotFoundError):
    """A module that does not exist."""


class ArgumentError(FaculaError, ValueError, RuntimeError):
    """An invalid shape, length or number. Also a RuntimeError, which programs written for PyTorch catch."""


class DTypeError(FaculaError, TypeError, RuntimeError):
    """A dtype that an operator does not support, or incompatible dtypes. Also a RuntimeError."""


class IndexTypeError(FaculaError, TypeError, IndexError):
    """An index of an invalid type, such as a float. Also an IndexError."""


class RangeError(FaculaError, OverflowError, RuntimeError):
    """A number that a dtype cannot represent. Also a RuntimeError."""


class DivisionError(FaculaError, ZeroDivisionError, RuntimeError):
    """A division of integers by zero. Also a RuntimeError."""


def kind_of(error: Exception) -> type[Exception]:
    """Return the class of this package that corresponds to `error`, to raise it with a better message.

    >>> kind_of(OverflowError("too large"))
    <class 'facula_errors.NumberOverflowError'>
    """
    if isinstance(error, FaculaError):
        return type(error)
    fitting = [
        candidate
        for candidate in CLASSES
        if isinstance(error, candidate.__bases__[-1]) and len(candidate.__bases__) == 2
    ]
    return min(
        fitting, key=lambda candidate: type(error).__mro__.index(candidate.__bases__[-1]), default=OperationError
    )


CLASSES: list[type[Exception]] = [
    candidate
    for _, candidate in sorted(globals().items())
    if isinstance(candidate, type) and issubclass(candidate, FaculaError)
]
