"""The errors of backward passes. All errors carry fields, and pickle with all of them."""

from __future__ import annotations

from facula_errors import FaculaError


class AutogradError(FaculaError, RuntimeError):
    """Base class of this package's errors; keyword arguments become attributes.

    >>> AutogradError("no gradient", operator="mul").operator
    'mul'
    """

    def __init__(self, message: str = "", **fields: object) -> None:
        super().__init__(message)
        self.__dict__.update(fields)


class GradientError(AutogradError):
    """A gradient is missing, unwanted, or of the wrong shape or type."""


class CheckpointError(GradientError):
    """A checkpointed function behaved differently when it was recomputed; also available as `RecomputationError`.

    `facula_checkpoint.CheckpointError`, the error for invalid files, is a different class. Programs that handle both
    can import this one by its other name.

    >>> RecomputationError is CheckpointError
    True
    """


RecomputationError = CheckpointError


class MutationError(AutogradError):
    """A value saved for backward was changed in place before it was used.

    Fields: `operator`, `forward` ("file:line (function)"), `saved`, `mutation` (or None).
    """


class FreedGraphError(AutogradError):
    """A second backward pass reached a node whose saved values the first pass had released.

    Fields: `operator`, `forward`, `freed_by` (the place where the earlier pass was started).
    """


class AnomalyError(AutogradError):
    """Under `detect_anomaly`, a backward rule returned a gradient that is not finite, or an operator such a result.

    Fields: `operator`, `forward`, `module` (its path, or None).
    """


class GradcheckError(AutogradError):
    """`gradcheck` found a gradient that differs from its numerical estimate."""
