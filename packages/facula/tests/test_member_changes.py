"""Captured functions detect changes to the dicts of a module's members."""

import pytest

import facula
from facula import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.w = nn.Linear(2, 2), nn.Linear(2, 2), nn.Parameter(facula.ones(2))
        self.register_buffer("z", facula.ones(2))

    def forward(self, x):
        for module in self._modules.values():
            x = x if module is None else module(x)
        for parameter in self._parameters.values():
            x = x * parameter
        for buffer in reversed(self._buffers.values()):
            x = x + buffer
        return x * 5 if "extra" in self._buffers else x


CHANGES = {
    "entry": lambda net: net._modules.update(c=nn.Linear(2, 2)),
    "other entry": lambda net: net._modules.update(a=nn.Linear(2, 2)),
    "none": lambda net: net._modules.update(a=None),
    "deleted": lambda net: net._modules.pop("a"),
    "order": lambda net: net._modules.update(a=net._modules.pop("a")),
    "new dict": lambda net: setattr(net, "_modules", {"b": net.b}),
    "new dict, other order": lambda net: setattr(net, "_modules", dict(reversed(net._modules.items()))),
    "parameter": lambda net: net._parameters.update(v=nn.Parameter(facula.full((2,), 2.0))),
    "other parameter": lambda net: net._parameters.update(w=nn.Parameter(facula.full((2,), 2.0))),
    "tensor": lambda net: net._parameters.update(w=facula.full((2,), 2.0)),
    "buffer": lambda net: net._buffers.update(y=facula.ones(2)),
    "a buffer's name": lambda net: net._buffers.update(extra=facula.zeros(2)),
    "buffers": lambda net: setattr(net, "_buffers", {}),
    "kind": lambda net: net._buffers.update(w=net._parameters.pop("w").detach() * 3),
}


@pytest.mark.parametrize("case", CHANGES)
def test_captured_functions_detect_changes(case):
    net, x = Net(), facula.ones(3, 2)
    captured = facula.capture(lambda x: net(x))
    before = [captured(x) for _ in range(3)]
    assert "replayed 2 times" in captured.report()
    CHANGES[case](net)
    for _ in range(3):
        assert facula.equal(captured(x), net(x))
    assert not facula.equal(before[-1], net(x))
