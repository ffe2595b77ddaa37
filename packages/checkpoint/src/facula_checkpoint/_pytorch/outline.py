"""Inspection of a file without building its object: the names that it uses, and an outline of the object."""

from __future__ import annotations

from .._errors import CheckpointError
from .._streams import File, opened, resolved
from .machine import Machine
from .opcodes import OPCODES
from .reading import Start
from .skimming import Skim
from .sources import FileSource, Source, StreamSource
from .tables import PickleError, Value, renamed


def names_in(file: File) -> list[tuple[str, str]]:
    """Return module and name of each class and function that a file of PyTorch uses.

    Raises CheckpointError for other files.
    """
    target = resolved("load", file, "read")
    if isinstance(target, str):
        with opened(target) as (descriptor, size):
            _, table = skim(FileSource(target, descriptor, size))
    else:
        source = StreamSource(target)
        _, table = skim(source)
        source.finish(0)
    names = [renamed(*name.split(" ", 1)) for name in table.names]
    return [(module, name) for module, _, name in [key.partition(" ") for key in names]]


def skim(source: Source) -> tuple[Value, Skim]:
    """Return the outline of a file's object and its table, for `python -m facula_checkpoint show`.

    Raises CheckpointError for invalid files.
    """
    try:
        start, table = Start(source), Skim()
        value = Machine(start.pickle, start.begin, table, table.persistent).run(OPCODES)
        return value, table
    except PickleError as error:
        raise CheckpointError(source.name, str(error)) from None
