"""Differences between our attributes of distributions and constraints and PyTorch's: `THEIRS` and `OURS`.

PyTorch's distributions store the distributions that they are made of: a StudentT its Chi2, a Pareto its exponential
distribution and two transforms.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import expect, refuse
from facula_distributions import (
    Beta,
    Binomial,
    Categorical,
    Chi2,
    Dirichlet,
    Distribution,
    Gamma,
    Normal,
    Transform,
)
from facula_distributions.constraints import Constraint
from facula_errors import UnsupportedError
from facula_tensor import Size, Tensor, arange, as_tensor, stack, zeros

from .later import ABSENT, Later

if TYPE_CHECKING:
    from collections.abc import Callable

    State = dict[str, Any]
    Attributes = dict[str, Callable[[Any], Any]]


class Lost(Transform):
    """Placeholder for the transform of an inverse: PyTorch omits the transform from its files."""

    def _undefined(self, what: str) -> Exception:
        return UnsupportedError(
            f"Transform.{what}: PyTorch's file has an inverse without its transform, which PyTorch cannot use either; "
            "make the inverse again, such as ExpTransform().inv"
        )


# From PyTorch's attributes -------------------------------------------------------------------------------------------


def _inner(state: State, name: str, kind: type) -> Any:
    """Return a file's attribute that is a distribution or constraint."""
    found = state.get(name)
    if not isinstance(found, kind):
        refuse(f"its pickle has a {type(found).__name__} for {name} of a distribution")
    return found


def _of_inner(name: str, kind: type, attribute: str) -> Callable[[State], Any]:
    def found(state: State) -> Any:
        return vars(_inner(state, name, kind)).get(attribute, ABSENT)

    return found


def _concentration(place: int) -> Callable[[State], Tensor]:
    def found(state: State) -> Tensor:
        both: Tensor = expect(_inner(state, "_dirichlet", Dirichlet).concentration, Tensor, "a concentration")
        return both[..., place]

    return found


def _normal(state: State) -> Normal:
    base = _inner(state, "base_dist", Normal)
    return Normal(base.loc, base.scale, validate_args=False)


def _twice(value: Tensor) -> Tensor:
    return value * 2


def _inverted(state: State) -> Transform:
    found = state.get("_inv")
    return Lost() if found is None else _inner(state, "_inv", Transform)  # type: ignore[no-any-return]


def _exponent(state: State) -> float | Tensor:
    """Return an argument that was a number; PyTorch stores it as a tensor."""
    number = state.get("_number")
    return number if type(number) in (int, float) else expect(state.get("exponent"), Tensor, "an exponent")  # type: ignore[return-value, no-any-return]


# From ours
# -------------------------------------------------------------------------------------------------------------


def given(instance: Any) -> Tensor:
    """Return the probabilities or logits that a distribution was created with."""
    return vars(instance)["probs" if "probs" in vars(instance) else "logits"]  # type: ignore[no-any-return]


def _categorical(distribution: Any) -> Categorical:
    made = Categorical.__new__(Categorical)
    shapes = {"_batch_shape": distribution.batch_shape, "_event_shape": Size()}
    vars(made).update(shapes, **{"probs" if "probs" in vars(distribution) else "logits": given(distribution)})
    return made


def _checked_base(distribution: Any) -> Distribution:
    """Return a transformed distribution's base, which PyTorch creates with the default of `validate_args`."""
    base: Distribution = copy(distribution.base_dist)
    vars(base).pop("_validate_args", None)
    return base


def _marginals(distribution: Any) -> Beta:
    """Return the distribution from which LKJCholesky draws the norms of rows."""
    given = distribution.concentration
    rows = arange(distribution.dim - 1, dtype=given.dtype, device=given.device)
    below = stack([zeros((), dtype=given.dtype, device=given.device), *rows.unbind()])
    return Beta(below + 0.5, (given + 0.5 * (distribution.dim - 2)).unsqueeze(-1) - 0.5 * below)


def _lengths(distribution: Any) -> Chi2:
    """Return the distribution from which Wishart draws the squares of a factor's diagonal."""
    size = distribution.event_shape[-1]
    less = arange(size, dtype=distribution.df.dtype, device=distribution.df.device)
    return Chi2(distribution.df.unsqueeze(-1) - less)


def _unwritten(*names: str) -> Attributes:
    """Return rows for attributes that PyTorch caches on first access. Ours are recomputed."""
    return {name: lambda distribution: ABSENT for name in names}


_parameter: Attributes = {"_param": given}
_transformed: Attributes = {"base_dist": _checked_base, "transforms": lambda distribution: distribution.transforms}
_factor: Attributes = {"_unbroadcasted_scale_tril": lambda distribution: distribution._factor}
_of_categorical: Attributes = {"_categorical": _categorical}

# Attributes that only PyTorch has, by our class: computed when an instance is saved, skipped when it is loaded.
THEIRS: dict[str, Attributes] = {
    "Bernoulli": _parameter,
    "Beta": {
        "_dirichlet": lambda distribution: Dirichlet(
            stack([distribution.concentration1, distribution.concentration0], -1)
        )
    },
    "Binomial": _parameter,
    "CatTransform": _unwritten("event_dim", "length"),
    "Categorical": {**_parameter, "_num_events": lambda distribution: given(distribution).shape[-1]},
    "Chi2": {
        "concentration": lambda distribution: distribution.concentration,
        "rate": lambda distribution: distribution.rate,
    },
    "ComposeTransform": _unwritten("bijective", "sign"),
    "ContinuousBernoulli": {**_parameter, "_lims": lambda distribution: (0.499, 0.501)},
    "ExpRelaxedCategorical": _of_categorical,
    "FisherSnedecor": {
        "_gamma1": lambda distribution: Gamma(distribution.df1 * 0.5, distribution.df1),
        "_gamma2": lambda distribution: Gamma(distribution.df2 * 0.5, distribution.df2),
    },
    "Gumbel": _transformed,
    "HalfCauchy": {**_transformed, "base_dist": lambda distribution: distribution.base_dist},
    "HalfNormal": {**_transformed, "base_dist": lambda distribution: distribution.base_dist},
    "InverseGamma": _transformed,
    "Kumaraswamy": _transformed,
    "LKJCholesky": {"_beta": _marginals},
    "LogNormal": _transformed,
    "LogitRelaxedBernoulli": _parameter,
    "LowRankMultivariateNormal": {
        "_unbroadcasted_cov_factor": lambda distribution: distribution.cov_factor,
        "_unbroadcasted_cov_diag": lambda distribution: distribution.cov_diag,
        "_capacitance_tril": lambda distribution: copy(distribution)._capacitance_factor,
    },
    "MixtureSameFamily": {
        "_event_ndims": lambda distribution: len(distribution.event_shape),
        "_num_component": lambda distribution: given(distribution.mixture_distribution).shape[-1],
    },
    "Multinomial": {
        **_of_categorical,
        "_binomial": lambda distribution: Binomial(distribution.total_count, copy(distribution).probs),
    },
    "MultivariateNormal": _factor,
    "NegativeBinomial": {**_parameter, **_unwritten("_gamma")},
    "OneHotCategorical": _of_categorical,
    "Pareto": _transformed,
    "StudentT": {"_chi2": lambda distribution: Chi2(distribution.df)},
    "VonMises": _unwritten("_loc", "_concentration", "_proposal_r", "variance"),
    "Weibull": {**_transformed, "concentration_reciprocal": lambda distribution: distribution.concentration_reciprocal},
    "Wishart": {
        **_factor,
        "_batch_dims": lambda distribution: [-1 - place for place in range(len(distribution.batch_shape))],
        "_dist_chi2": _lengths,
    },
    "PowerTransform": {
        **_unwritten("sign"),
        "exponent": lambda transform: as_tensor(transform.exponent),
        "_number": lambda transform: ABSENT if isinstance(transform.exponent, Tensor) else transform.exponent,
    },
    "Transform": {"_cached_x_y": lambda transform: (None, None) if transform._cache_size else ABSENT},
    "_Dependent": {
        "_is_discrete": lambda constraint: constraint.is_discrete or NotImplemented,
        "_event_dim": lambda constraint: constraint.event_dim or NotImplemented,
    },
    "_Inverse": {"_inv": lambda transform: transform.inv},
}
_base_scale = {"scale": _of_inner("base_dist", Distribution, "scale")}
_shares = {name: _of_inner("_categorical", Categorical, name) for name in ("probs", "logits")}
_tril: Attributes = {"_factor": lambda state: state.get("_unbroadcasted_scale_tril", ABSENT)}
# Attributes that only ours have: skipped when an instance is saved, computed from PyTorch's when it is loaded.
OURS: dict[str, Attributes] = {
    "Beta": {f"concentration{1 - place}": _concentration(place) for place in (0, 1)},
    "Chi2": {"df": lambda state: Later(expect(state.get("concentration"), Tensor, "a concentration"), _twice)},
    "ExpRelaxedCategorical": _shares,
    "HalfCauchy": _base_scale,
    "HalfNormal": {**_base_scale, "_base": _normal},
    "InverseGamma": {name: _of_inner("base_dist", Gamma, name) for name in ("concentration", "rate")},
    "LogNormal": {**{name: _of_inner("base_dist", Normal, name) for name in ("loc", "scale")}, "_base": _normal},
    "LowRankMultivariateNormal": {"_capacitance_factor": lambda state: ABSENT},
    "Multinomial": _shares,
    "MultivariateNormal": _tril,
    "OneHotCategorical": _shares,
    "PowerTransform": {"exponent": _exponent},
    "Wishart": _tril,
    "Transform": {"_cached_x_y": lambda state: (None, None)},
    "_Dependent": {
        "is_discrete": lambda state: state.get("_is_discrete") is True,
        "event_dim": lambda state: found if type(found := state.get("_event_dim")) is int else 0,
    },
    "_Inverse": {"_of": _inverted, "_inv": lambda state: None},
    "independent": {
        "is_discrete": lambda state: _inner(state, "base_constraint", Constraint).is_discrete,
        "event_dim": lambda state: (
            _inner(state, "base_constraint", Constraint).event_dim
            + expect(state.get("reinterpreted_batch_ndims"), int, "a number of dimensions")
        ),
    },
}
OURS["MixtureSameFamilyConstraint"] = {
    "is_discrete": OURS["independent"]["is_discrete"],
    "event_dim": lambda state: _inner(state, "base_constraint", Constraint).event_dim,
}
