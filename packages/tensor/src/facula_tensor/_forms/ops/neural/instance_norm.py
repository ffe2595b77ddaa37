"""The public functions of `ops/neural/instance_norm.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer, as_real, real_or_tensor
from ...._dispatch.arguments import steady_tensor
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.neural.instance_norm")


@overridable
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Normalize each channel of each example to mean 0 and variance 1; multiply by `weight`, add `bias`.

    D. Ulyanov, A. Vedaldi, V. Lempitsky: Instance normalization, 2016.

    Arguments:
        input: (n, channels, ...), with a floating dtype.
        running_mean: (channels,), updated in place towards the mean over the examples; or None.
        running_var: (channels,), updated towards the variance, likewise.
        weight: (channels,), or None for 1.
        bias: (channels,), or None for 0.
        use_input_stats: whether to use the examples' statistics instead of the running ones.
        momentum: the weight of the new value in running statistics.
        eps: a number added to variances.

    Raises:
        ValueError: if shapes do not fit, or an instance has a single value.

    >>> from facula_tensor import tensor
    >>> instance_norm(tensor([[[1.0, 3.0], [2.0, 8.0]]]))
    tensor([[[-1.0000,  1.0000],
             [-1.0000,  1.0000]]])
    """
    try:
        input = steady_tensor("instance_norm", input)
        if type(momentum) is not float and type(momentum) is not int:
            momentum = as_real(momentum, "instance_norm", "momentum")
        if type(eps) is not float:
            eps = float(as_real(eps, "instance_norm", "eps"))
        return bodies.instance_norm(ops, input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def local_response_norm(
    input: Tensor, size: int, alpha: float | Tensor = 0.0001, beta: float | Tensor = 0.75, k: float | Tensor = 1.0
) -> Tensor:
    """Divide each element of (n, channels, ...) by (k + alpha * m) ** beta.

    m is the mean of squares over `size` channels around the element's own; channels out of range count as 0. A.
    Krizhevsky, I. Sutskever, G. Hinton: ImageNet classification with deep convolutional neural networks, 2012.

    Arguments:
        input: (n, channels, ...), with at least 3 dimensions.
        size: the number of channels, at least 1.
        alpha: the factor of m.
        beta: the exponent.
        k: the constant term.

    >>> from facula_tensor import tensor
    >>> local_response_norm(tensor([[[3.0], [4.0]]]), 2, alpha=1.0, beta=1.0, k=0.0)
    tensor([[[0.6667],
             [0.3200]]])
    """
    try:
        input = steady_tensor("local_response_norm", input)
        if type(size) is not int:
            size = as_integer(size, "local_response_norm", "size")
        if type(alpha) is not float and type(alpha) is not int:
            alpha = real_or_tensor(alpha, "local_response_norm", "alpha")
        if type(beta) is not float and type(beta) is not int:
            beta = real_or_tensor(beta, "local_response_norm", "beta")
        if type(k) is not float and type(k) is not int:
            k = real_or_tensor(k, "local_response_norm", "k")
        return bodies.local_response_norm(ops, input, size, alpha, beta, k)
    except FaculaError as error:
        trim_traceback(error)
        raise
