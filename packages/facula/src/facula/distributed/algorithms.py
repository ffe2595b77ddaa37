"""Uneven inputs of several processes: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusals

__all__ = ["Join", "JoinHook", "Joinable"]

_missing = Refusals("distributed.algorithms", "there is one process so far; leave it out")
Join: Kind = _missing.kind("Join")
JoinHook: Kind = _missing.kind("JoinHook")
Joinable: Kind = _missing.kind("Joinable")

publish(__name__)
