"""PyTorch's names of our classes and functions, in the form of pickles: "torch.nn.modules.linear Linear"."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from inspect import isclass, isfunction, unwrap

# The public modules that files may name, by the package of their objects. A whole group is loaded together: the
# contents of a file never choose a module.
_GROUPS = {
    "facula_nn": (
        *[f"nn.modules.{name}" for name in (
            "activation", "adaptive", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout",
            "flatten", "fold", "instancenorm", "linear", "loss", "module", "normalization", "padding", "pixelshuffle",
            "pooling", "rnn", "sparse", "transformer", "upsampling",
        )],
        "nn.parameter", "nn.functional", "nn.init", "nn.parallel.data_parallel", "nn.utils.prune", "nn.utils.rnn",
        "nn.utils.spectral_norm", "nn.utils.weight_norm",
    ),
    "facula_optim": (
        *[f"optim.{name}" for name in (
            "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "lbfgs", "nadam", "radam", "rmsprop", "rprop",
            "sgd", "optimizer", "lr_scheduler", "swa_utils",
        )],
        "optim",
    ),
    "facula_data": tuple([f"utils.data.{name}" for name in ("dataset", "sampler", "distributed", "dataloader")]),
    "facula": ("amp.grad_scaler", "cpu.amp.grad_scaler", "cuda.amp.grad_scaler", "quasirandom"),
    "facula_distributions": tuple([f"distributions.{name}" for name in (
        "bernoulli", "beta", "binomial", "categorical", "cauchy", "chi2", "continuous_bernoulli", "constraints",
        "dirichlet", "distribution", "exp_family", "exponential", "fishersnedecor", "gamma", "generalized_pareto",
        "geometric", "gumbel", "half_cauchy", "half_normal", "independent", "inverse_gamma", "kumaraswamy", "laplace",
        "lkj_cholesky", "log_normal", "logistic_normal", "lowrank_multivariate_normal", "mixture_same_family",
        "multinomial", "multivariate_normal", "negative_binomial", "normal", "one_hot_categorical", "pareto",
        "poisson", "relaxed_bernoulli", "relaxed_categorical", "studentT", "transformed_distribution", "transforms",
        "uniform", "von_mises", "weibull", "wishart",
    )]),
    "facula_tensor": ("nn.functional", "nn.parameter", "return_types", ""),
    "facula_storage": ("",),
}  # fmt: skip
# PyTorch's modules, and the group that contains their names.
_GROUP_OF = {f"torch.{place}".removesuffix("."): group for group in reversed(_GROUPS) for place in _GROUPS[group]}
# Public modules whose classes and functions PyTorch defines elsewhere.
_HOMES = {
    "facula.utils.data": "torch.utils.data.dataloader",
    "facula.cpu.amp": "torch.cpu.amp.grad_scaler",
    "facula.cuda.amp": "torch.cuda.amp.grad_scaler",
    "facula._functions.sobol": "torch.quasirandom",
}
# PyTorch's modules with functions of other modules: those written in C++, and those that loaders use.
_PLACES = {"torch._C._nn": "torch.nn.functional", "torch.utils.data._utils.collate": "torch.utils.data.dataloader"}
_PRIVATE = {
    "torch.nn.modules.linear": ("NonDynamicallyQuantizableLinear",),
    "torch.nn.modules.module": ("_IncompatibleKeys",),
}
_CLASSES = (
    "Tensor",
    "Size",
    "dtype",
    "device",
    "layout",
    "memory_format",
)  # of the top module, which also has the functions of tensors


def _constraints() -> dict[str, object]:
    """Return the classes of constraints, whose names in PyTorch differ."""
    from facula_distributions import constraints, extend

    public = [value for value in vars(constraints).values() if isclass(value)]
    private = [value for value in vars(extend).values() if isclass(value) and value.__name__[0] == "_"]
    found = {value.__name__: value for value in private if issubclass(value, constraints.Constraint)}
    for value in public:
        name = value.__name__
        if issubclass(value, constraints.Constraint) and name[0].islower() and name != "dependent_property":
            found["_" + "".join(word.capitalize() for word in name.split("_"))] = value
    found["_IndependentConstraint"] = found.pop("_Independent")
    return found  # type: ignore[return-value]


def _inverse() -> dict[str, object]:
    from facula_distributions.extend import InverseTransform

    return {"_InverseTransform": InverseTransform}


def _weight_hooks(name: str) -> dict[str, object]:
    from facula_nn import extend

    return {name: getattr(extend, name)}


_RENAMED: dict[str, Callable[[], dict[str, object]]] = {
    "torch.distributions.constraints": _constraints,
    "torch.distributions.transforms": _inverse,
    "torch.nn.utils.spectral_norm": partial(_weight_hooks, "SpectralNorm"),
    "torch.nn.utils.weight_norm": partial(_weight_hooks, "WeightNorm"),
}
# public modules of facula, and modules of PyTorch's
_FUNCTIONS = ("torch.nn.utils.spectral_norm", "torch.nn.utils.weight_norm")


@cache
def objects_of(group: str) -> dict[str, object]:
    """Return the classes and functions of a group by their names."""
    found: dict[str, object] = {}
    for place in _GROUPS[group]:
        theirs = f"torch.{place}" if place else "torch"
        if theirs in _RENAMED:
            found |= {f"{theirs} {name}": value for name, value in _RENAMED[theirs]().items()}
        if theirs in _FUNCTIONS:
            continue
        module = import_module(f"facula.{place}") if place else sys.modules["facula"]
        for name in (*module.__all__, *_PRIVATE.get(theirs, ())):
            if not place and name not in _CLASSES and not is_operator(vars(module).get(name)):
                continue
            value = getattr(module, name, None)
            if isclass(value) or isfunction(value):
                found[f"{theirs} {name}"] = value
    return found


def is_operator(value: object) -> bool:
    """Return whether a value is a function of tensors alone."""
    if not isfunction(value):
        return False
    home = unwrap(value).__globals__["__name__"].removeprefix("facula_tensor.").removeprefix("_forms.")
    return home.startswith("ops.") or hasattr(value, "operator")


@cache
def _names(group: str) -> dict[int, str]:
    names: dict[int, str] = {}
    for name, value in objects_of(group).items():
        names.setdefault(id(value), name)
    return names


def name_of(value: type | object) -> str | None:
    """Return PyTorch's name of a class or function of ours; None for all others."""
    module = getattr(value, "__module__", None) or ""
    group = module.partition(".")[0]
    if group == "facula":  # the public module's own, at the same place in PyTorch
        home = _HOMES.get(module) or f"torch{module.removeprefix('facula')}"
        name = f"{home} {getattr(value, '__qualname__', '')}"
        return name if object_named(name) is value else None
    return _names(group).get(id(value)) if group in _GROUPS else None


def object_named(name: str) -> object | None:
    """Return our class or function with PyTorch's name; None if there is none."""
    module, _, last = name.partition(" ")
    if module in _PLACES:
        module, name = _PLACES[module], f"{_PLACES[module]} {last}"
    group = _GROUP_OF.get(module)
    return None if group is None else objects_of(group).get(name)
