"""Missing attributes: errors distinguish attributes of PyTorch's modules from misspelt names."""

import pytest

from facula_errors.testing import raises
from facula_nn import Linear, Module


def test_missing_pytorch_attributes_are_named():
    layer = Linear(2, 2)
    with raises(AttributeError, "'Linear' object has no attribute 'ipu'", "PyTorch has torch.nn.Module.ipu") as caught:
        layer.ipu
    assert caught.value.name == "ipu" and caught.value.obj is layer
    assert not hasattr(layer, "ipu") and getattr(layer, "ipu", 7) == 7
    with pytest.raises(AttributeError, match=r"^'Linear' object has no attribute 'wieght'$"):
        layer.wieght


def test_user_attributes_take_precedence():
    class Own(Module):
        @property
        def ipu(self):
            return self.absent

    with pytest.raises(AttributeError, match=r"^'Own' object has no attribute 'absent'$"):
        Own().ipu
    layer = Linear(2, 2)
    layer.ipu = 3
    assert layer.ipu == 3
