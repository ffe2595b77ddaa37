"""The errors: one base, and under it one class for each kind of error that Python has a class for.

Each is also the builtin that programs have always caught: `except ValueError` goes on working. Packages with more to
say derive from `FaculaError` and a builtin themselves.
"""

from __future__ import annotations

from io import UnsupportedOperation
from os import PathLike, fspath


class FaculaError(Exception):
    """Base of every error that the library raises on purpose. What is no FaculaError is a bug, here or in a program.

    >>> issubclass(InvalidValueError, ValueError) and issubclass(InvalidValueError, FaculaError)
    True
    """


class InvalidValueError(FaculaError, ValueError):
    """An argument of the right type whose value will not do."""


class InvalidTypeError(FaculaError, TypeError):
    """An argument of a type that will not do."""


class InvalidIndexError(FaculaError, IndexError):
    """An index or a dimension that is not there."""


class MissingKeyError(FaculaError, KeyError):
    """A name that is not there. Its message is shown as it is, not in the quotes of a KeyError.

    >>> str(MissingKeyError("no parameter 'w'"))
    "no parameter 'w'"
    """

    def __str__(self) -> str:
        return Exception.__str__(self)


class MissingAttributeError(FaculaError, AttributeError):
    """An attribute that an object or a module does not have."""


class OperationError(FaculaError, RuntimeError):
    """Something that cannot be done in this state, or to this object."""


class UnsupportedError(FaculaError, NotImplementedError):
    """Something that is not supported, or that a subclass has to define."""


class NumberOverflowError(FaculaError, OverflowError):
    """A number that is too large for where it should go."""


class NoMemoryError(FaculaError, MemoryError):
    """Memory that cannot be had."""


class BufferAccessError(FaculaError, BufferError):
    """Memory that cannot be shared, written or resized."""


class FileError(FaculaError, OSError):
    """A file that cannot be read or written. As with OSError, the number of the error chooses the class.

    >>> from errno import ENOENT
    >>> isinstance(FileError(ENOENT, "there is none", "weights"), FileNotFoundError)
    True
    """

    def __new__(cls, *args: object) -> FileError:
        if cls is FileError:
            builtin = type(OSError(*args))
            if builtin is not OSError:
                cls = next((one for one in FileError.__subclasses__() if issubclass(one, builtin)), cls)
        return super().__new__(cls, *args)


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class FileAccessError(FileError, PermissionError):
    """A file that may not be read or written."""


class DirectoryError(FileError, IsADirectoryError):
    """A directory where a file was expected."""


class NoDirectoryError(FileError, NotADirectoryError):
    """A file where a directory was expected."""


class BlockedFileError(FileError, BlockingIOError):
    """A file that gives or takes nothing without blocking."""


class FileModeError(FileError, UnsupportedOperation):
    """An open file that was opened for something else."""


class CorruptFileError(InvalidValueError):
    """A file whose contents are damaged, or of another format than the reader's.

    Arguments:
        operation: what was reading.
        path: the file, or the name of the sample within an archive.
        place: where in it: `"byte 16"`, `"row 3 (line 4)"`; `""` where that says nothing.
        problem: what was expected, and what is there.
        remedy: what to do about it.

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
    """A module that is not there."""


class ArgumentError(FaculaError, ValueError, RuntimeError):
    """A shape, length or number that does not fit. A RuntimeError too: programs written for PyTorch catch that."""


class DTypeError(FaculaError, TypeError, RuntimeError):
    """A dtype that an operator is not defined for, or dtypes that do not go together. A RuntimeError too."""


class IndexTypeError(FaculaError, TypeError, IndexError):
    """An index of a type that selects nothing, as a float. An IndexError too."""


class RangeError(FaculaError, OverflowError, RuntimeError):
    """A number that a dtype cannot hold. A RuntimeError too."""


class DivisionError(FaculaError, ZeroDivisionError, RuntimeError):
    """Integers divided by zero. A RuntimeError too."""


def kind_of(error: Exception) -> type[Exception]:
    """The class of this package for what `error` is: for raising in its place what says more.

    >>> kind_of(OverflowError("too large"))
    <class 'facula_errors.NumberOverflowError'>
    """
    if isinstance(error, FaculaError):
        return type(error)
    fitting = [one for one in CLASSES if isinstance(error, one.__bases__[-1]) and len(one.__bases__) == 2]
    return min(fitting, key=lambda one: type(error).__mro__.index(one.__bases__[-1]), default=OperationError)


CLASSES: list[type[Exception]] = [
    one for _, one in sorted(globals().items()) if isinstance(one, type) and issubclass(one, FaculaError)
]
