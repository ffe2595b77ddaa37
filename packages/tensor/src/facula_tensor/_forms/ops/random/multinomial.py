"""The public functions of `ops/random/multinomial.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import method, snapshot
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._creation.generator import Generator

bodies = bodies_of("ops.random.multinomial")


@overridable
@method()
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """generator: the source of random numbers; the default generator if None."""
    try:
        input = snapshot(as_tensor("multinomial", input))
        if type(num_samples) is not int:
            num_samples = as_integer(num_samples, "multinomial", "num_samples")
        result = bodies.multinomial(input, num_samples, replacement, generator=generator)
        return result if out is None else write_out("multinomial", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
