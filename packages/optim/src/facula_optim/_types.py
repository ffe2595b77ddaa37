"""Types of groups, options and states, only for type checkers: not imported at run time."""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypedDict

from facula_tensor import Tensor

# Options, a parameter's state, or a whole state dict: values of any type by name.
Group: TypeAlias = dict[str, Any]
StateDict: TypeAlias = dict[str, Any]

# The parameters passed to an optimizer: tensors, named tensors, or groups with their own options.
Params: TypeAlias = Iterable[Tensor | tuple[str, Tensor] | Group]

# The state of fused optimizers: tensors by name, for each parameter.
TensorState: TypeAlias = dict[Tensor, dict[str, Tensor]]

Hook: TypeAlias = Callable[..., object]
StateHook: TypeAlias = Callable[..., StateDict | None]


class Options(TypedDict, total=False):
    """A group as the optimizers of this package read it after validation."""

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
    eps: Any  # a number; a pair for Adafactor
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
    """The state of LBFGS: its information about the second derivatives."""

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
