"""Helpers for tests of tracebacks: how much of the library an error shows."""

import traceback

import facula
from facula_errors.extend import in_library


def raised(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error
    return None


def library_frames(error):
    return [
        f"{frame.f_globals['__name__']}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if in_library(frame)
    ]


def own_frames(error):
    """Return the program's functions from the library's caller on, without `raised` above."""
    return [frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__) if not in_library(frame)][1:]


def x(*shape, **options):
    return facula.ones(*(shape or (2, 3)), **options)


def leaf(*shape):
    return x(*shape, requires_grad=True)


class Descent(facula.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    def step(self, closure=None):
        return closure()


def optimizer():
    return facula.optim.SGD([leaf()], lr=0.1)
