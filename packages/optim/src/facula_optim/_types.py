"""What groups, options and states hold, for type checkers alone: nothing imports this at run time."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypedDict

from facula_tensor import Tensor

# Options, a parameter's state, a whole state dict: by name, values of any type, as programs and files have them.
Group: TypeAlias = dict[str, Any]
StateDict: TypeAlias = dict[str, Any]

# What an optimizer is given to change: tensors, tensors with names, or groups with options of their own.
Params: TypeAlias = Iterable[Tensor | tuple[str, Tensor] | Group]

# State of optimizers whose steps are launches: tensors by name, for each parameter.
TensorState: TypeAlias = dict[Tensor, dict[str, Tensor]]

Hook: TypeAlias = Callable[..., object]
StateHook: TypeAlias = Callable[..., StateDict | None]


class Options(TypedDict, total=False):
    """A group as this package's optimizers read it, once its options are checked."""

    params: list[Tensor]
    param_names: list[str]
    lr: float | Tensor
    maximize: bool
    weight_decay: float
    decoupled_weight_decay: bool
    foreach: bool | None
    capturable: bool
    differentiable: bool
    # means and momentum
    momentum: float
    dampening: float
    nesterov: bool
    betas: tuple[float | Tensor, float | Tensor]
    eps: Any  # a number; Adafactor's are a pair
    amsgrad: bool
    alpha: float
    centered: bool
    rho: float
    momentum_decay: float
    lr_decay: float
    initial_accumulator_value: float
    # ASGD, Rprop, Adafactor
    lambd: float
    t0: float
    etas: tuple[float, float]
    step_sizes: tuple[float, float]
    beta2_decay: float
    d: float
    # Muon
    ns_coefficients: tuple[float, float, float]
    ns_steps: int
    adjust_lr_fn: str | None
    # LBFGS
    max_iter: int
    max_eval: int
    tolerance_grad: float
    tolerance_change: float
    history_size: int
    line_search_fn: str | None


class Curvature(TypedDict, total=False):
    """State of LBFGS: what it knows of the second derivatives."""

    func_evals: int
    n_iter: int
    prev_loss: float
    prev_flat_grad: Tensor
    d: Tensor
    t: float
    old_dirs: list[Tensor]
    old_stps: list[Tensor]
    ro: list[Tensor]
    H_diag: Tensor | int
    al: list[Any]  # tensors, or None before the first product
