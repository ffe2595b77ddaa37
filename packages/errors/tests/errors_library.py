"""A small library like the packages: public functions, helpers, classes, and calls of user functions."""

from contextlib import contextmanager

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, register, trim_traceback, warn

register(__name__)


def check(x):
    if x < 0:
        raise InvalidValueError(f"check: expected 0 or more; got {x}")
    return x


@boundary
def root(x, *, scale=1):
    """The square root."""
    return scale * check(x) ** 0.5


def quick(x):
    try:
        return root(check(x))
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def call(function, *args):
    return inside(function, args)


def inside(function, args):
    return function(*args)


@contextmanager
def managed():
    check(-1)
    yield


@boundary
def through_python():
    with managed():
        pass


@boundary
def by_trial(x):
    try:
        return {}[x]
    except KeyError:
        return check(-1)


@boundary
def explained():
    try:
        check(-1)
    except InvalidValueError as error:
        raise InvalidTypeError("explained: no") from error


@boundary
def numbers(end):
    yield 0
    yield check(end)


@boundary
def bug():
    return inside(lambda: 1 / 0, ())


@boundary
def deprecated():
    inside(warn, ("deprecated: use root",))


@boundary
class Thing:
    """A class with each kind of method."""

    def __init__(self, size=0):
        self.size = check(size)

    def __call__(self, function):
        return inside(function, ())

    def __iter__(self):
        yield from numbers(-1)

    @classmethod
    def made(cls, size):
        return cls(check(size))

    @staticmethod
    def free(x):
        return check(x)

    @property
    def value(self):
        return self.size

    @value.setter
    def value(self, value):
        self.size = check(value)

    def forward(self, x):
        return x

    def _private(self, x):
        return check(x)
