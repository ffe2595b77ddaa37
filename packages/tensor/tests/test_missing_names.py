"""Attributes that are not there: what PyTorch's tensors have is told from what is misspelt, and nothing is slower."""

import pytest

from facula_tensor import Parameter, Tensor, ones
from facula_tensor._core.names import MissingName

MISSING = sorted(name for name, value in vars(Tensor).items() if type(value) is MissingName)


@pytest.mark.parametrize("name", MISSING[::5])
def test_what_pytorchs_tensors_have_is_named(name):
    for owner, subject in ((ones(2), "'Tensor' object"), (Tensor, "type object 'Tensor'")):
        with pytest.raises(
            AttributeError, match=f"^{subject} has no attribute '{name}': PyTorch has torch.Tensor.{name}, "
        ) as caught:
            getattr(owner, name)
        assert caught.value.name == name and caught.value.obj is owner
        assert not hasattr(owner, name)
    assert name not in dir(ones(2)) and name not in dir(Parameter(ones(2)))


def test_what_is_misspelt_is_pythons_own_error():
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'shpae'$"):
        ones(2).shpae


def test_look_ups_are_left_as_they_are():
    """A `__getattr__` would slow every look-up of every attribute."""
    for cls in (Tensor, Parameter):
        assert not any("__getattr__" in vars(base) or "__getattribute__" in vars(base) for base in cls.__mro__[:-1])


def test_attributes_of_ones_own_come_first():
    class Mixed:
        geqrf = 3

        @property
        def sspaddmm(self):
            return self.geqrf + 1

    class Both(Tensor, Mixed):
        pass

    both = ones(2).as_subclass(Both)
    assert (both.geqrf, both.sspaddmm, Both.geqrf) == (3, 4, 3)
    parameter = Parameter(ones(2))
    parameter.geqrf = 5
    assert parameter.geqrf == 5 and "geqrf" in dir(parameter)
