"""Sobol sequences, drawn by SciPy: the class of `torch.quasirandom`.

I. M. Sobol, The Distribution of Points in a Cube, 1967; direction numbers of S. Joe and F. Y. Kuo, 2008, as in PyTorch.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError, MissingPackageError
from facula_errors.extend import boundary
from facula_tensor import Tensor, from_numpy, get_default_dtype, randint

if TYPE_CHECKING:
    from facula_storage import DType


@boundary
class SobolEngine:
    """Points that fill the unit cube evenly. Without scrambling they equal PyTorch's. Requires SciPy.

    Arguments:
        dimension: the dimension of the cube, from 1 to 21201.
        scramble: scramble the points at random.
        seed: the seed of the scrambling; drawn from the default generator if None.

    Raises:
        ImportError: SciPy is not installed.
        ValueError: the dimension is out of range.
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise InvalidValueError(f"SobolEngine: expected 1 <= dimension <= {self.MAXDIM}; got {dimension}")
        try:
            from scipy.stats import qmc  # type: ignore[import-untyped]
        except ImportError:
            raise MissingPackageError("SobolEngine: SciPy draws the points; install it: pip install scipy") from None
        if scramble and seed is None:
            seed = int(randint(0, 1 << 31, ()).item())
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self._engine: Any = qmc.Sobol(dimension, scramble=scramble, bits=self.MAXBIT, rng=seed)

    @property
    def num_generated(self) -> int:
        """The number of points that were drawn or skipped."""
        return int(self._engine.num_generated)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """Draw the next `n` points, (n, dimension).

        Arguments:
            n: the number of points.
            out: the destination; a new tensor if None.
            dtype: a floating dtype; the default one if None.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about n that is not a power of 2
            points = from_numpy(self._engine.random(n)).to(get_default_dtype() if dtype is None else dtype)
        return points if out is None else out.resize_(points.shape).copy_(points)

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: DType | None = None) -> Tensor:
        """Draw the next 2 ** `m` points. ValueError unless the total, with all earlier points, is a power of 2."""
        n, total = 1 << m, self.num_generated + (1 << m)
        if total & (total - 1):
            raise InvalidValueError(
                f"draw_base2: expected the number of all points to be a power of 2; got {self.num_generated} + {n}; "
                "use draw()"
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Restart at the first point."""
        self._engine.reset()
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skip `n` points."""
        if n:
            self._engine.fast_forward(n)
        return self

    def __repr__(self) -> str:
        scramble = ", scramble=True" if self.scramble else ""
        seed = "" if self.seed is None else f", seed={self.seed}"
        return f"SobolEngine(dimension={self.dimension}{scramble}{seed})"
