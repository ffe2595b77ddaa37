"""Names for sibling packages in addition to the public names of facula_distributions."""

from ._constraint import _Dependent as Dependent
from ._transforms.transform import _Inverse as InverseTransform
from .constraints import _Boolean as Boolean
from .constraints import _CorrCholesky as CorrCholesky
from .constraints import _IntegerGreaterThan as IntegerGreaterThan
from .constraints import _IntegerLessThan as IntegerLessThan
from .constraints import _LowerCholesky as LowerCholesky
from .constraints import _LowerTriangular as LowerTriangular
from .constraints import _OneHot as OneHot
from .constraints import _PositiveDefinite as PositiveDefinite
from .constraints import _PositiveSemidefinite as PositiveSemidefinite
from .constraints import _Real as Real
from .constraints import _Simplex as Simplex
from .constraints import _Square as Square
from .constraints import _Symmetric as Symmetric

__all__ = [
    "Boolean",
    "CorrCholesky",
    "Dependent",
    "IntegerGreaterThan",
    "IntegerLessThan",
    "InverseTransform",
    "LowerCholesky",
    "LowerTriangular",
    "OneHot",
    "PositiveDefinite",
    "PositiveSemidefinite",
    "Real",
    "Simplex",
    "Square",
    "Symmetric",
]

# Private attributes that facula reads to pickle distributions in PyTorch's form.
SIBLING_ATTRIBUTES = {
    "_factor": "the Cholesky factor of a normal or Wishart distribution, as it was given: not expanded to the batch",
    "_capacitance_factor": "the factor that a LowRankMultivariateNormal computes on first use, and keeps",
    "_cache_size": "the `cache_size` of a transform; a name of PyTorch's",
}
