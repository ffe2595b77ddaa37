"""Classes besides modules and optimizers whose instances are written as PyTorch's: by attributes, or as tuples.

`PLAIN` lists the classes that have the attributes of PyTorch's, but for those of `EXTRA`, which has those of modules,
too. Instances of all other classes of ours are refused when they are saved, as neither library could make them.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

from facula_checkpoint.extend import attributes, expect, refuse
from facula_errors import UnsupportedError
from facula_errors.extend import is_library_module

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor import Tensor

    State = dict[str, Any]
    Extra = dict[str, Callable[[Any], Any]]

PLAIN = {
    "torch.utils.data.dataset": "TensorDataset Subset ConcatDataset ChainDataset StackDataset",
    "torch.utils.data.sampler": "SequentialSampler BatchSampler",
    "torch.distributions.transforms": (
        "AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform "
        "CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform "
        "PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftplusTransform TanhTransform "
        "SoftmaxTransform StackTransform StickBreakingTransform"
    ),
    **{
        f"torch.distributions.{one.lower()}": one
        for one in ("Bernoulli", "Binomial", "Categorical", "Cauchy", "Dirichlet", "Exponential", "Gamma", "Geometric",
                    "Independent", "Laplace", "Normal", "Poisson", "Uniform")
    },
    "torch.distributions.generalized_pareto": "GeneralizedPareto",
    "torch.distributions.logistic_normal": "LogisticNormal",
    "torch.distributions.mixture_same_family": "MixtureSameFamily",
    "torch.distributions.negative_binomial": "NegativeBinomial",
    "torch.distributions.relaxed_bernoulli": "RelaxedBernoulli LogitRelaxedBernoulli",
    "torch.distributions.transformed_distribution": "TransformedDistribution",
    "torch.distributions.von_mises": "VonMises",
}  # fmt: skip


def _twice(module: Any) -> tuple[int, ...] | list[int]:
    """The padding of both ends of each dimension, last dimension first, as PyTorch's convolutions keep it."""
    if module.padding == "valid":
        return [0] * (2 * len(module.kernel_size))
    if module.padding == "same":
        totals = [d * (k - 1) for d, k in zip(module.dilation, module.kernel_size, strict=True)]
        return [half for total in reversed(totals) for half in (total // 2, total - total // 2)]
    return tuple([size for size in reversed(module.padding) for _ in range(2)])


def _activation(module: Any) -> int:
    from facula_nn import functional as F

    return {F.relu: 1, F.gelu: 2}.get(module.activation, 0)


def _flat_names(module: Any) -> list[str]:
    return [name for layer in module._all_weights for name in layer]


def _given(instance: Any) -> Tensor:
    return vars(instance)["probs" if "probs" in vars(instance) else "logits"]  # type: ignore[no-any-return]


class Method:
    """A method that only PyTorch has, and that instances of its class keep as an attribute: `getattr(owner, name)`."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __call__(self, *arguments: object) -> None:
        """Refuse: the class computes the same in another way."""
        raise UnsupportedError(f"{self.owner.__name__}.{self.name}: only PyTorch has it; use get_lr()")


METHODS = {
    "CyclicLR": ("_triangular_scale_fn", "_triangular2_scale_fn", "_exp_range_scale_fn"),
    "SWALR": ("_cosine_anneal", "_linear_anneal"),
}
ABSENT = object()  # where an instance has none of an attribute of `EXTRA`


def _scale(schedule: Any) -> Any:
    if schedule._scale_fn_custom is not None:
        return ABSENT
    method = Method(type(schedule), f"_{schedule.mode}_scale_fn")
    return partial(method, schedule.gamma) if schedule.mode == "exp_range" else method


def _anneal(schedule: Any) -> Method:
    return Method(type(schedule), {"cos": "_cosine_anneal"}.get(schedule._anneal_strategy, "_linear_anneal"))


_parameter: Extra = {"_param": _given}
# Attributes that only PyTorch's have, by the class: worked out when an instance is saved, left out when it is loaded.
EXTRA: dict[str, Extra] = {
    "Convolution": {"transposed": lambda one: False, "_reversed_padding_repeated_twice": _twice},
    "Transposed": {"transposed": lambda one: True, "_reversed_padding_repeated_twice": _twice},
    "RNNBase": {
        "_flat_weights_names": _flat_names,
        "_flat_weights": lambda one: [getattr(one, name, None) for name in _flat_names(one)],
    },
    "Upsample": {"name": lambda one: type(one).__name__},
    **{f"ZeroPad{dims}d": {"value": lambda one: 0.0} for dims in (1, 2, 3)},
    "TransformerEncoder": {"use_nested_tensor": lambda one: False},
    "TransformerEncoderLayer": {"activation_relu_or_gelu": _activation},
    "LRScheduler": {"_get_lr_called_within_step": lambda one: False},
    **{
        name: {"_get_lr_called_within_step": lambda one: ABSENT}
        for name in ("ReduceLROnPlateau", "SequentialLR", "ChainedScheduler")
    },
    "CyclicLR": {"_scale_fn_ref": _scale},
    "SWALR": {"anneal_func": _anneal},
    "StackDataset": {"_length": len},
    "Bernoulli": _parameter,
    "Binomial": _parameter,
    "NegativeBinomial": _parameter,
    "Categorical": {**_parameter, "_num_events": lambda one: _given(one).shape[-1]},
    "LogitRelaxedBernoulli": _parameter,
    "MixtureSameFamily": {
        "_event_ndims": lambda one: len(one.event_shape),
        "_num_component": lambda one: _given(one._mixture_distribution).shape[-1],
    },
}


def is_plain(name: str) -> bool:
    """Whether PyTorch's name is that of a class in the list."""
    module, _, last = name.partition(" ")
    return last in PLAIN.get(module, "").split()


def extra_attributes(kind: type) -> Extra:
    """The rows of `EXTRA` for a class and those of ours that it inherits from."""
    return {
        name: work
        for ancestor in reversed(kind.__mro__)
        if is_library_module(ancestor.__module__)
        for name, work in EXTRA.get(ancestor.__name__, {}).items()
    }


def written(instance: Any, state: State) -> State:
    """The attributes of an instance as PyTorch's have them."""
    extra = {name: work(instance) for name, work in extra_attributes(type(instance)).items()}
    return state | {name: value for name, value in extra.items() if value is not ABSENT}


def known_attributes(kind: type, state: Any) -> State:
    """The attributes of a file without those that only PyTorch's instances have; PickleError for others than these."""
    extra = extra_attributes(kind)
    given = expect(state, (dict, OrderedDict), f"the attributes of a {kind.__name__}")
    return attributes(kind, {name: value for name, value in given.items() if name not in extra})


def fill_plain(instance: Any, state: Any) -> None:
    """Give a new instance the attributes of a file; PickleError for those that files may not set."""
    kind = type(instance)
    made = known_attributes(kind, state)
    if kind.__module__.endswith("_transforms"):
        made.setdefault("_cached_x_y", (None, None))  # which PyTorch's have where the cache has a size
    vars(instance).update(made)


def tuple_of(kind: Any, fields: tuple[Any, ...]) -> Any:
    """A tuple whose fields have names; PickleError for a number of fields that it has not."""
    names = getattr(kind, "_fields", None) or kind.fields
    if len(fields) != len(names):
        refuse(f"its pickle has a {kind.__name__} of {len(fields)} fields")
    return tuple.__new__(kind, fields)
