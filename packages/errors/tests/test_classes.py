"""Each error derives from FaculaError and a builtin exception, and can be pickled."""

import copy
import errno
import os
import pickle

import pytest

import facula_errors
from facula_errors import (
    FaculaError,
    FileError,
    InvalidTypeError,
    MissingAttributeError,
    MissingKeyError,
    MissingPackageError,
    UnsupportedError,
)
from facula_errors.extend import kind_of

CLASSES = [
    getattr(facula_errors, name)
    for name in facula_errors.__all__
    if isinstance(getattr(facula_errors, name), type) and issubclass(getattr(facula_errors, name), Exception)
]
ARGUMENTS = {facula_errors.CorruptFileError: ("add", "a.bin", "byte 3", "expected two; got 3", "write it again")}
KINDS = [one for one in CLASSES if len(one.__bases__) == 2]


@pytest.mark.parametrize("kind", CLASSES)
def test_has_the_base_and_its_home(kind):
    assert issubclass(kind, FaculaError) and kind.__doc__
    assert kind.__module__ == "facula_errors" and getattr(facula_errors, kind.__name__) is kind


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_whole(kind, protocol):
    error = kind(*ARGUMENTS.get(kind, ("add: expected two; got 3",)))
    error.operation = "add"
    error.add_note("in Net")
    for twin in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert type(twin) is kind and twin.args == error.args and str(twin) == str(error)
        assert twin.operation == "add" and twin.__notes__ == ["in Net"]


@pytest.mark.parametrize("kind", KINDS)
def test_is_caught_as_the_builtin(kind):
    builtin = kind.__bases__[-1]
    with pytest.raises(builtin, match="said") as caught:
        raise kind("said")
    assert str(caught.value) == "said"


def test_fields_of_the_builtins_are_there():
    missing = MissingAttributeError("no x", name="x", obj=3)
    assert (missing.name, missing.obj) == ("x", 3)
    package = MissingPackageError("no y", name="y", path="z")
    assert (package.name, package.path) == ("y", "z")


def test_a_missing_key_is_shown_without_quotes():
    assert str(MissingKeyError("no parameter 'w'")) == "no parameter 'w'"


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOSPC, errno.EEXIST])
def test_the_number_of_a_file_error_chooses_its_class(number):
    error = FileError(number, "save: no", "weights")
    builtin = type(OSError(number, ""))
    assert (error.errno, error.strerror, error.filename) == (number, "save: no", "weights")
    if any(issubclass(one, builtin) for one in FileError.__subclasses__()):
        assert isinstance(error, builtin)
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error) and str(twin) == str(error) and os.strerror(number)


@pytest.mark.parametrize("builtin", [one.__bases__[-1] for one in KINDS])
def test_kind_of_keeps_the_class_of_a_rephrased_error(builtin):
    ours = kind_of(builtin("x"))
    assert issubclass(ours, FaculaError) and issubclass(ours, builtin)


def test_errors_without_a_corresponding_class():
    assert kind_of(UnsupportedError("x")) is UnsupportedError
    assert kind_of(UnicodeDecodeError("utf-8", b"x", 0, 1, "y")) is facula_errors.InvalidValueError
    assert kind_of(EOFError()) is facula_errors.OperationError

    class Own(InvalidTypeError):
        pass

    assert kind_of(Own()) is Own
