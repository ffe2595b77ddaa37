"""facula.jit: captured steps, traces, scripts and graphs in files, and related names of PyTorch."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from facula_errors import OperationError

from ._lookup.names import publish
from ._lookup.refusals import Kind, Refusal, Refusals
from ._lookup.siblings import needs

with needs("facula.jit"):
    from facula_jit import (
        Captured,
        CaptureError,
        GraphFileError,
        Loaded,
        SaveError,
        Traced,
        TracerWarning,
        allow,
        capture,
        export,
        freeze,
        ignore,
        is_scripting,
        load,
        passes,
        save,
        script,
        trace,
        unused,
    )

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._types import AnyValue

__all__ = [
    "Attribute", "CaptureError", "Captured", "CompilationUnit", "Error", "Final", "Future", "GraphFileError",
    "Loaded", "RecursiveScriptModule", "SaveError", "ScriptFunction", "ScriptModule", "TopLevelTracedModule",
    "Traced", "TracedModule", "TracerWarning", "allow", "annotate", "capture", "enable_onednn_fusion", "export",
    "export_opnames", "fork", "freeze", "ignore", "interface", "is_scripting", "is_tracing", "isinstance", "load",
    "onednn_fusion_enabled", "optimize_for_inference", "passes", "save", "script", "script_if_tracing", "script_method",
    "set_fusion_strategy", "strict_fusion", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

F = TypeVar("F", bound="Callable[..., object]")
T = TypeVar("T")

_missing = Refusals(
    "jit",
    "leave it out, or use facula.capture, jit.script or jit.trace; jit.save keeps their graphs",
)
CompilationUnit: Kind = _missing.kind("CompilationUnit")
Future: Kind = _missing.kind("Future")
RecursiveScriptModule: Kind = _missing.kind("RecursiveScriptModule")
ScriptFunction: Kind = _missing.kind("ScriptFunction")
ScriptModule: Kind = _missing.kind("ScriptModule")
TopLevelTracedModule: Kind = _missing.kind("TopLevelTracedModule")
TracedModule: Kind = _missing.kind("TracedModule")
enable_onednn_fusion: Refusal = _missing.function("enable_onednn_fusion")
export_opnames: Refusal = _missing.function("export_opnames")
fork: Refusal = _missing.function("fork")
optimize_for_inference: Refusal = _missing.function("optimize_for_inference")
script_method: Refusal = _missing.function("script_method")
set_fusion_strategy: Refusal = _missing.function("set_fusion_strategy")
strict_fusion: Kind = _missing.kind("strict_fusion")
trace_module: Refusal = _missing.function("trace_module")
wait: Refusal = _missing.function("wait")


class Error(OperationError):
    """The exception of PyTorch's scripts, which facula never raises."""


class Attribute(NamedTuple):
    """A value and its type, by which scripts declare attributes of modules."""

    value: object
    type: object


def is_tracing() -> bool:
    """Return whether this code is being traced: False."""
    return False


def onednn_fusion_enabled() -> bool:
    """Return whether oneDNN fuses scripts: False."""
    return False


def interface(obj: F) -> F:
    """Mark a class that declares an interface of modules; return it unchanged."""
    return obj


def script_if_tracing(fn: F) -> F:
    """Mark a function that becomes a script when it is traced; return it unchanged."""
    return fn


def annotate(the_type: object, the_value: T) -> T:
    """Return `the_value`, whose type scripts read.

    >>> annotate(list, [])
    []
    """
    return the_value


def isinstance(obj: object, target_type: object) -> bool:
    """Python's isinstance, extended to generic types, by their origin: `list[int]` is treated as `list`.

    >>> isinstance([1], list[int])
    True
    """
    types: tuple[AnyValue, ...] = target_type if type(target_type) is tuple else (target_type,)
    return builtins.isinstance(obj, tuple([getattr(cls, "__origin__", None) or cls for cls in types]))


publish(__name__)
