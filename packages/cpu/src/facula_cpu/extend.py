"""The interface of facula_cpu for sibling packages beyond its public names."""

from facula_errors.extend import imported_later as _imported_later

from ._adafactor import NUMBERS as _ADAFACTOR_NUMBERS
from ._elementwise.typed import Step, TypedProgram, typed_program
from ._layers.resample import taps_of
from ._linalg.spectral import EXPONENTIAL_NORM, exponential_terms
from ._optimizer import NUMBERS as _NUMBERS
from ._runtime.planners import planners
from ._runtime.registry import is_loop
from ._runtime.threads import observe_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._layers.pointwise import multiplies_pairs
    from ._levels import at_level, levels
    from ._portable import KernelName, Part, PortablePlan, portable_plan
    from ._sources import element_sources
    from ._tables import ADDRESS, CELL, NUMBER, OWN, TEMPORARY, TENSOR, Tables, bits_of, with_streams, wrapped

STEP_NUMBERS = _NUMBERS | dict.fromkeys(("adafactor_step", "adafactor_vector_step"), _ADAFACTOR_NUMBERS)
"""The number of numbers at the start of a launch, by the optimizer's step."""

__all__ = [
    "ADDRESS",
    "CELL",
    "EXPONENTIAL_NORM",
    "NUMBER",
    "OWN",
    "STEP_NUMBERS",
    "TEMPORARY",
    "TENSOR",
    "KernelName",
    "Part",
    "PortablePlan",
    "Step",
    "Tables",
    "TypedProgram",
    "at_level",
    "bits_of",
    "element_sources",
    "exponential_terms",
    "is_loop",
    "levels",
    "multiplies_pairs",
    "observe_jobs",
    "planners",
    "portable_plan",
    "taps_of",
    "typed_program",
    "with_streams",
    "wrapped",
]

__getattr__ = _imported_later(
    __name__,
    {
        "._layers.pointwise": ("multiplies_pairs",),
        "._levels": ("at_level", "levels"),
        "._portable": ("KernelName", "Part", "PortablePlan", "portable_plan"),
        "._sources": ("element_sources",),
        "._tables": (
            "ADDRESS", "CELL", "NUMBER", "OWN", "TEMPORARY", "TENSOR", "Tables", "bits_of", "with_streams", "wrapped",
        ),
    },
)  # fmt: skip
