"""Results of asynchronous work: not there yet."""

from ._names import publish
from ._refusals import Kind, Refusal, Refusals

__all__ = ["Future", "collect_all", "wait_all"]

_missing = Refusals("futures", "use concurrent.futures of the standard library")
Future: Kind = _missing.kind("Future")
collect_all: Refusal = _missing.function("collect_all")
wait_all: Refusal = _missing.function("wait_all")

publish(__name__)
