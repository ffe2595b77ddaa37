"""Plans of CuPy's functions.

Note [Irregular matrices]
~~~~~~~~~~~~~~~~~~~~~~~~~
CuPy reports a failure of cuSOLVER by an exception for a whole stack, and results of NaN operands differ between
algorithms. facula's operators return the state of each matrix, and NaN where there is no result. Functions that can
fail are therefore `checked`: they wait for the device, and if an operand or result is not finite, or CuPy raises
LinAlgError, the CPU computes the whole stack again. The program does not see which of both it was.
"""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_errors import OperationError
from facula_storage import Plan

from ..._planners import planners
from ..._port.graphs import is_capturing
from ..._port.waits import waiting
from ..adapters import register
from ..library import VARIABLE, Found, Library, Unusable
from .samples import sample_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import DType, Layout

    from ..adapters import Request, Sample

    Compute = Callable[..., None]

MINIMUM = 14  # CuPy's first version with eig
DTYPES = ("float32", "float64", "complex64", "complex128")


class Function(NamedTuple):
    """A function of CuPy's module, arrays (inputs, outputs to fill) and parameters; see Note [Irregular matrices]."""

    compute: Compute
    checked: bool


functions: dict[str, Function] = {}


def computes(operator: str, checked: bool = False) -> Callable[[Compute], Compute]:
    """Return a decorator that registers the function of an operator."""

    def register_function(compute: Compute) -> Compute:
        functions[operator] = Function(compute, checked)
        return compute

    return register_function


def find() -> Found:
    """Import CuPy."""
    if find_spec("cupy") is None:
        raise Unusable("not installed")
    try:
        cupy = import_module("cupy")
        import_module("cupyx.scipy.linalg")
    except Exception as error:  # whatever its imports raise
        raise Unusable(f"its import raised {type(error).__name__} ({error!s:.200})") from error
    version, path = str(cupy.__version__), str(cupy.__file__)
    if int(version.partition(".")[0]) < MINIMUM:
        raise Unusable(f"expected CuPy {MINIMUM} or newer; got {version}", version, path)
    return Found(cupy, version, path)


class CupyAdapter:
    """Plans that call CuPy."""

    library = Library("cupy", find, "'cupy-cuda13x[ctk]>=14'")

    def dtypes(self, operator: str) -> Sequence[str]:
        """Return the dtypes of an operator."""
        return {"fft_from_real": DTYPES[:2], "fft_to_real": DTYPES[2:]}.get(operator, DTYPES)

    def plan(self, request: Request) -> Plan | None:
        """Plan an operator; empty operands have the CPU's plan."""
        layouts = (*request.inputs, *request.outputs)
        found = self.library.get()
        if found is None or request.inputs[0].dtype.name not in self.dtypes(request.operator):
            return None
        if not all([layout.numel for layout in layouts]):
            return request.reference()
        return Plan(request.operator, request.parameters, request.outputs, _launch_of(request, layouts, found))

    def sample(self, operator: str, dtype: DType) -> Sample:
        """Return well-conditioned matrices."""
        return sample_of(operator, dtype)


def register_operators() -> None:
    """Ask CuPy for plans of the operators that have a function, and no kernel of our own."""
    register(CupyAdapter(), [operator for operator in functions if operator not in planners])


def _launch_of(request: Request, layouts: Sequence[Layout], found: Found) -> Callable[..., None]:
    backend, operator, parameters, cupy = request.backend, request.operator, request.parameters, found.handle
    function, index, count = functions[operator], request.backend.index, len(request.inputs)

    def run(arrays: Sequence[Any]) -> bool:
        """Return whether the results are right: see Note [Irregular matrices]."""
        with import_module("cupyx").errstate(linalg="raise" if function.checked else "ignore"):
            if not function.checked:
                function.compute(cupy, *arrays, *parameters)
                return True
            if not _all_finite(cupy, arrays[:count]):
                return False
            try:
                function.compute(cupy, *arrays, *parameters)
            except np.linalg.LinAlgError:
                return False
            return _all_finite(cupy, arrays[count:])

    def launch(n: int, *addresses: int) -> None:
        backend.enter(operator)
        stream = backend.stream
        if is_capturing(stream):
            raise OperationError(
                f"{operator}: expected a stream without a capture, since CuPy allocates memory and waits; got one that "
                "is being captured. Compute it before or after the capture"
            )
        with ExitStack() as entered:
            if function.checked:
                entered.enter_context(waiting(index, stream))
            entered.enter_context(cupy.cuda.Device(index))
            entered.enter_context(cupy.cuda.ExternalStream(stream, index) if stream else cupy.cuda.Stream.null)
            try:
                right = run([_array(cupy, layout, at, index) for layout, at in zip(layouts, addresses, strict=True)])
            except Exception as error:  # whatever CuPy raises
                raise OperationError(
                    f"{operator}: expected CuPy {found.version} to compute it; got {type(error).__name__} "
                    f"({error!s:.200}). Set {VARIABLE} to libraries without cupy, such as none, to use the CPU"
                ) from error
        if not right:
            request.reference().launch(n, *addresses)

    return launch


def _array(cupy: Any, layout: Layout, address: int, index: int) -> Any:
    """Return CuPy's array over the elements at an address."""
    memory = cupy.cuda.UnownedMemory(address, layout.extent, None, index)
    steps = tuple([step * layout.dtype.itemsize for step in layout.strides])
    return cupy.ndarray(layout.shape, layout.dtype.numpy, cupy.cuda.MemoryPointer(memory, 0), steps)


def _all_finite(cupy: Any, arrays: Sequence[Any]) -> bool:
    return all([bool(cupy.isfinite(array).all()) for array in arrays])
