"""`Distribution`: shapes, validation of parameters and samples, and defaults for derived quantities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Size, Tensor, no_grad
from facula_tensor.extend.arguments import refuse_unless
from facula_tensor.extend.tensors import elements

from .constraints import Constraint, is_dependent
from .utils import broadcast_parameters, broadcast_shapes, lazy_property

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self


@boundary
class Distribution:
    """Base class of probability distributions.

    A sample has shape `sample_shape + batch_shape + event_shape`: independent samples, the batch of distributions, and
    the shape of a single draw. A subclass defines `arg_constraints`, `support` and `log_prob`. It also defines
    `rsample` if samples are differentiable (`has_rsample`), else `sample`.

    With `validate_args` (the default; see `set_default_validate_args`), parameters and the arguments of methods such as
    `log_prob` are validated. A ValueError names the parameter, a value, and the constraint.

    Arguments:
        batch_shape: the shape of the batch of distributions.
        event_shape: the shape of a single draw.
        validate_args: whether to validate parameters and values; the class's default if None.
    """

    _batch_shape: Size
    _event_shape: Size

    has_rsample: bool = False
    has_enumerate_support: bool = False
    arg_constraints: ClassVar[dict[str, Constraint]] = {}
    support: Constraint = None  # type: ignore[assignment]  # for a class that does not define it
    _shared: ClassVar[tuple[str, ...]] = ()  # attributes that `expand` copies unchanged
    _validate_args: bool = True

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (), validate_args: bool | None = None
    ):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                lazy = isinstance(getattr(type(self), name, None), lazy_property)
                if not is_dependent(constraint) and not (lazy and name not in vars(self)):
                    self._check(f"parameter {name}", constraint, getattr(self, name))

    def _store_parameters(self, **parameters: Any) -> Size:
        """Broadcast parameters, store them as attributes, and return their shape."""
        for name, value in zip(parameters, broadcast_parameters(self, **parameters)):
            setattr(self, name, value)
        return value.shape

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set the default of `validate_args`."""
        if value not in (True, False):
            raise InvalidValueError(f"set_default_validate_args: expected True or False; got {value!r}")
        Distribution._validate_args = value

    def _check(self, called: str, constraint: Constraint, value: Tensor) -> None:
        """Check that values satisfy a constraint.

        Arguments:
            called: the name of the values in the error.
            constraint: the constraint.
            value: the values.

        Raises:
            ValueError: a value does not satisfy the constraint.
        """
        inside = constraint.check(value)

        def error(got: object) -> Exception:
            return InvalidValueError(
                f"{type(self).__name__}: expected {called} to satisfy {constraint}; got {got} in a tensor of shape "
                f"{tuple(value.shape)}"
            )

        def describe() -> Exception:
            got = "others"
            if elements(inside) is inside:  # not a single element of a `vmap` batch
                flat = value.detach().reshape(tuple(inside.shape) + (-1,)).reshape(inside.numel(), -1)
                bad = flat[inside.reshape(-1).tolist().index(False)].tolist()
                got = f"{bad[0] if constraint.event_dim == 0 else bad}"
            return error(got)

        refuse_unless(inside, describe, lambda: error("others"))

    def _check_value(self, value: Tensor) -> None:
        """Check the argument of a method if the distribution validates its arguments."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value: Tensor) -> None:
        """Raise ValueError unless `value` is a tensor that broadcasts to samples and is in the support."""
        name = type(self).__name__
        if not isinstance(value, Tensor):
            raise InvalidValueError(f"{name}: expected the value to be a Tensor; got {type(value).__name__}")
        dims = len(self._event_shape)
        if dims > value.dim() or tuple(value.shape[value.dim() - dims :]) != tuple(self._event_shape):
            raise InvalidValueError(
                f"{name}: expected the value's last dimensions to be the event shape {tuple(self._event_shape)}; got "
                f"shape {tuple(value.shape)}"
            )
        try:
            broadcast_shapes(value.shape, self._batch_shape + self._event_shape)
        except ValueError:
            raise InvalidValueError(
                f"{name}: expected the value to broadcast with shape {tuple(self._batch_shape + self._event_shape)}; "
                f"got {tuple(value.shape)}"
            ) from None
        if isinstance(self.support, Constraint):
            self._check("the value", self.support, value)

    # ------------------------------------------------------------------------------------------ shapes
    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of a single draw."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        lengths = self._lengths(sample_shape)
        return Size((*lengths, *self._batch_shape, *self._event_shape))

    def _lengths(self, sample_shape: Sequence[int]) -> Size:
        """Return `sample_shape`, a sequence of lengths of at least 0. TypeError for a number, as in PyTorch."""
        try:
            lengths = Size(sample_shape)
        except TypeError:
            raise InvalidTypeError(
                f"{type(self).__name__}: expected sample_shape to be a sequence of lengths, such as (3,); "
                f"got {sample_shape!r}"
            ) from None
        if min(lengths, default=0) < 0:
            raise InvalidValueError(
                f"{type(self).__name__}: expected sample_shape of lengths from 0; got {tuple(sample_shape)}"
            )
        return lengths

    def _get_checked_instance(self, cls: type[Any], _instance: Any = None) -> Any:
        """Return the instance that `expand` initializes: the subclass's, or a new one of this object's class.

        NotImplementedError if a subclass of `cls` has another constructor but no `expand` method.
        """
        if _instance is None and type(self).__init__ is not cls.__init__:
            raise UnsupportedError(
                f"{type(self).__name__}: expand is not defined for a subclass of {cls.__name__} with a constructor of "
                "its own; define expand in it"
            )
        return object.__new__(type(self)) if _instance is None else _instance

    def expand(self, batch_shape: Sequence[int], _instance: Self | None = None) -> Self:
        """Return the distribution with parameters expanded to a batch shape, sharing their memory."""
        shape = Size(batch_shape)
        new: Self = self._get_checked_instance(type(self), _instance)
        for name in self.arg_constraints:
            value = vars(self).get(name)
            if value is not None:
                own = tuple(value.shape[len(self._batch_shape) :])
                setattr(new, name, value.expand((*shape, *own)))
        for name in self._shared:
            setattr(new, name, getattr(self, name))
        new._batch_shape, new._event_shape = shape, self._event_shape
        new._validate_args = self._validate_args
        return new

    # ----------------------------------------------------------------------------------------- numbers
    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise self._undefined("mean")

    @property
    def mode(self) -> Tensor:
        """The value with the maximum density."""
        raise self._undefined("mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise self._undefined("variance")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, at `value`."""
        raise self._undefined("log_prob")

    def cdf(self, value: Tensor) -> Tensor:
        """Return the probability of at most `value`."""
        raise self._undefined("cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """Return the value with the given `cdf`."""
        raise self._undefined("icdf")

    def entropy(self) -> Tensor:
        """Return the entropy, in nats, of each distribution of the batch."""
        raise self._undefined("entropy")

    def perplexity(self) -> Tensor:
        """Return the exponential of the entropy."""
        return self.entropy().exp()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values in the support along a new first dimension."""
        raise self._undefined("enumerate_support")

    # ----------------------------------------------------------------------------------------- samples
    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw `sample_shape` samples without gradients."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters."""
        raise self._undefined("rsample")

    def sample_n(self, n: int) -> Tensor:
        """Draw `n` samples."""
        return self.sample((n,))

    def _undefined(self, what: str) -> Exception:
        return UnsupportedError(
            f"{type(self).__name__}.{what}: not defined for this distribution; define it in a subclass"
        )

    def __repr__(self) -> str:
        parts = []
        for name in self.arg_constraints:
            value = vars(self).get(name)
            if value is not None:
                parts.append(f"{name}: {value if value.numel() == 1 else value.shape}")
        return f"{type(self).__name__}({', '.join(parts)})"
