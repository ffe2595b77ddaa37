"""Names of PyTorch's torch.distributions.constraints, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions.constraints import Constraint as Constraint
from facula_distributions.constraints import MixtureSameFamilyConstraint as MixtureSameFamilyConstraint
from facula_distributions.constraints import boolean as boolean
from facula_distributions.constraints import cat as _own_cat
from facula_distributions.constraints import cat as cat
from facula_distributions.constraints import corr_cholesky as corr_cholesky
from facula_distributions.constraints import dependent as dependent
from facula_distributions.constraints import dependent_property as _own_dependent_property
from facula_distributions.constraints import dependent_property as dependent_property
from facula_distributions.constraints import greater_than as _own_greater_than
from facula_distributions.constraints import greater_than as greater_than
from facula_distributions.constraints import greater_than_eq as _own_greater_than_eq
from facula_distributions.constraints import greater_than_eq as greater_than_eq
from facula_distributions.constraints import half_open_interval as _own_half_open_interval
from facula_distributions.constraints import half_open_interval as half_open_interval
from facula_distributions.constraints import independent as _own_independent
from facula_distributions.constraints import independent as independent
from facula_distributions.constraints import integer_interval as _own_integer_interval
from facula_distributions.constraints import integer_interval as integer_interval
from facula_distributions.constraints import interval as _own_interval
from facula_distributions.constraints import interval as interval
from facula_distributions.constraints import is_dependent as is_dependent
from facula_distributions.constraints import less_than as _own_less_than
from facula_distributions.constraints import less_than as less_than
from facula_distributions.constraints import lower_cholesky as lower_cholesky
from facula_distributions.constraints import lower_triangular as lower_triangular
from facula_distributions.constraints import multinomial as _own_multinomial
from facula_distributions.constraints import multinomial as multinomial
from facula_distributions.constraints import nonnegative as nonnegative
from facula_distributions.constraints import nonnegative_integer as nonnegative_integer
from facula_distributions.constraints import one_hot as one_hot
from facula_distributions.constraints import positive as positive
from facula_distributions.constraints import positive_definite as positive_definite
from facula_distributions.constraints import positive_integer as positive_integer
from facula_distributions.constraints import positive_semidefinite as positive_semidefinite
from facula_distributions.constraints import real as real
from facula_distributions.constraints import real_vector as real_vector
from facula_distributions.constraints import simplex as simplex
from facula_distributions.constraints import square as square
from facula_distributions.constraints import stack as _own_stack
from facula_distributions.constraints import stack as stack
from facula_distributions.constraints import symmetric as symmetric
from facula_distributions.constraints import unit_interval as unit_interval
from facula_distributions.extend import Boolean as _own_Boolean
from facula_distributions.extend import CorrCholesky as _own_CorrCholesky
from facula_distributions.extend import Dependent as _own_Dependent
from facula_distributions.extend import IntegerGreaterThan as _own_IntegerGreaterThan
from facula_distributions.extend import IntegerLessThan as _own_IntegerLessThan
from facula_distributions.extend import LowerCholesky as _own_LowerCholesky
from facula_distributions.extend import LowerTriangular as _own_LowerTriangular
from facula_distributions.extend import OneHot as _own_OneHot
from facula_distributions.extend import PositiveDefinite as _own_PositiveDefinite
from facula_distributions.extend import PositiveSemidefinite as _own_PositiveSemidefinite
from facula_distributions.extend import Real as _own_Real
from facula_distributions.extend import Simplex as _own_Simplex
from facula_distributions.extend import Square as _own_Square
from facula_distributions.extend import Symmetric as _own_Symmetric

_Cat = _own_cat
_DependentProperty = _own_dependent_property
_GreaterThan = _own_greater_than
_GreaterThanEq = _own_greater_than_eq
_HalfOpenInterval = _own_half_open_interval
_IndependentConstraint = _own_independent
_IntegerInterval = _own_integer_interval
_Interval = _own_interval
_LessThan = _own_less_than
_Multinomial = _own_multinomial
_Stack = _own_stack
_Boolean = _own_Boolean
_CorrCholesky = _own_CorrCholesky
_Dependent = _own_Dependent
_IntegerGreaterThan = _own_IntegerGreaterThan
_IntegerLessThan = _own_IntegerLessThan
_LowerCholesky = _own_LowerCholesky
_LowerTriangular = _own_LowerTriangular
_OneHot = _own_OneHot
_PositiveDefinite = _own_PositiveDefinite
_PositiveSemidefinite = _own_PositiveSemidefinite
_Real = _own_Real
_Simplex = _own_Simplex
_Square = _own_Square
_Symmetric = _own_Symmetric
