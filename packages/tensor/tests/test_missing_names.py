"""Missing attributes: errors distinguish attributes of PyTorch's tensors from typos, without slowing look-ups."""

import abc
import dis
import inspect
import sys

import pytest

from facula_errors.testing import raises
from facula_tensor import Parameter, Tensor, ones
from facula_tensor._core.names import MissingName

MISSING = sorted(name for base in Tensor.__mro__ for name, member in vars(base).items() if type(member) is MissingName)


@pytest.mark.parametrize("name", MISSING[::5])
def test_errors_name_attributes_of_pytorchs_tensors(name):
    for owner, subject in ((ones(2), "'Tensor' object"), (Tensor, "type object 'Tensor'")):
        with raises(
            AttributeError, f"{subject} has no attribute '{name}'", "PyTorch has torch", "Tensor", f"{name},"
        ) as caught:
            getattr(owner, name)
        assert caught.value.name == name and caught.value.obj is owner
        assert not hasattr(owner, name)
    for shown in (ones(2), Parameter(ones(2)), Tensor, Parameter, type("Own", (Tensor,), {})):
        assert name not in dir(shown)


def test_typos_raise_pythons_error():
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'shpae'$"):
        ones(2).shpae


def test_look_ups_are_not_overridden():
    """A `__getattr__` would slow every look-up of every attribute."""
    for cls in (Tensor, Parameter):
        assert not any("__getattr__" in vars(base) or "__getattribute__" in vars(base) for base in cls.__mro__[:-1])


def test_names_in_dir_of_the_class_exist():
    assert [name for name in dir(Tensor) if not hasattr(Tensor, name)] == [] and len(MISSING) > 40
    members = dict(inspect.getmembers(Tensor))
    assert members.keys() == set(dir(Tensor)) and not any(type(member) is MissingName for member in members.values())
    assert {attribute.name for attribute in inspect.classify_class_attrs(Tensor)} >= members.keys() - {"__class__"}


def test_isinstance_stays_fast():
    """Python has a fast path for classes whose metaclass is `type`; such classes combine with abstract ones."""
    assert type(Tensor) is type(Parameter) is type

    class Abstract(Tensor, abc.ABC):
        pass

    assert not hasattr(Abstract, "geqrf") and isinstance(ones(2).as_subclass(Abstract), Abstract)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="instructions have other names")
def test_attribute_look_ups_specialize():
    """Python's instructions specialize for a class only if its method resolution order can be cached."""

    def read(t):
        return t._layout, t._storage

    for t in [ones(2)] * 200:
        read(t)
    names = [instruction.opname for instruction in dis.get_instructions(read, adaptive=True)]
    assert names.count("LOAD_ATTR_SLOT") == 2, names


def test_attributes_of_subclasses_have_priority():
    class Mixed:
        geqrf = 3

        @property
        def sspaddmm(self):
            return self.geqrf + 1

    class Both(Tensor, Mixed):
        pass

    both = ones(2).as_subclass(Both)
    assert (both.geqrf, both.sspaddmm, Both.geqrf) == (3, 4, 3)
    assert "geqrf" in dir(Both) and "sspaddmm" in dir(both)
    parameter = Parameter(ones(2))
    parameter.geqrf = 5
    assert parameter.geqrf == 5 and "geqrf" in dir(parameter)
