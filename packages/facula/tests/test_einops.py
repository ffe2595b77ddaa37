"""einops accepts facula's tensors, whichever of the two is imported first."""

import copy
import pickle
import subprocess
import sys

import einops
import numpy as np
import pytest

import facula
from facula.utils.einops import EinMix, Rearrange, Reduce

A = np.arange(24, dtype="f4").reshape(2, 3, 4) - 7
CALLS = {
    "transposed and flattened": lambda x: einops.rearrange(x, "a b c -> (c a) b"),
    "split and with an axis of 1": lambda x: einops.rearrange(x, "a b (c d) -> a 1 d c b", d=2),
    "with an ellipsis": lambda x: einops.rearrange(x, "a ... -> ... a"),
    "unchanged": lambda x: einops.rearrange(x, "a b c -> a b c"),
    "listed": lambda x: einops.rearrange([x, x + 1], "l a b c -> a l (b c)"),
    **{
        f"{name} of part": lambda x, name=name: einops.reduce(x, "a (b d) c -> b c", name, d=3)
        for name in ("sum", "mean", "max", "min", "prod")
    },
    "mean of all elements": lambda x: einops.reduce(x, "... -> ", "mean"),
    "any": lambda x: einops.reduce(x > 0, "a b c -> b", "any"),
    "all": lambda x: einops.reduce(x > 0, "a b c -> c", "all"),
    "repeated along a new axis": lambda x: einops.repeat(x, "a b c -> a k b c", k=2),
    "repeated in an axis": lambda x: einops.repeat(x, "a b c -> (a k) (l b) c", k=2, l=3),
    "einsum": lambda x: einops.einsum(x, x, "a b c, a d c -> b d"),
    "packed": lambda x: einops.pack([x, x[0], x[0, 0]], "* c")[0],
    "unpacked": lambda x: einops.unpack(*einops.pack([x, x[0]], "* c"), "* c")[1],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_results_equal_einops_results_for_arrays(call):
    expected = call(A)
    found = call(facula.from_numpy(A.copy()))
    assert type(found) is facula.Tensor and str(found.dtype).endswith(expected.dtype.name)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)


def test_gradients_pass_through_einops():
    x = facula.from_numpy(A.copy()).requires_grad_()
    einops.reduce(einops.rearrange(x, "a b (c d) -> (a d) (b c)", d=2) ** 2, "a b -> a", "sum")[0].backward()
    expected = np.zeros_like(A)
    expected[0, :, ::2] = 2 * A[0, :, ::2]
    np.testing.assert_array_equal(x.grad.numpy(), expected)


def test_parse_shape_asnumpy_and_integer_means():
    x = facula.from_numpy(A.copy()).requires_grad_()
    assert einops.parse_shape(x, "a _ c") == {"a": 2, "c": 4}
    array = einops.asnumpy(x)
    assert type(array) is np.ndarray
    np.testing.assert_array_equal(array, A)
    with pytest.raises(NotImplementedError, match="non-floating"):
        einops.reduce(facula.arange(3), "a -> ", "mean")  # as for any library's integers


def test_shape_errors_are_those_of_einops():
    with pytest.raises(einops.EinopsError, match=r"can't divide axis of length 4 in chunks of 3"):
        einops.rearrange(facula.zeros(2, 4), "a (b c) -> a b c", b=3)


def test_layers():
    """Check layers in a network: gradients, state dict, copies and repr."""
    network = facula.nn.Sequential(
        Rearrange("a b c -> a (c b)"),
        EinMix("a (h i) -> a o h", weight_shape="h i o", bias_shape="o", h=3, i=4, o=5),
        Reduce("a o h -> a o", "max"),
    )
    assert "(0): Rearrange('a b c -> a (c b)')" in repr(network)
    assert {name: tuple(value.shape) for name, value in network.state_dict().items()} == {
        "1.weight": (3, 4, 5),
        "1.bias": (1, 5, 1),
    }
    mix = network[1]
    flat = A.transpose(0, 2, 1).reshape(2, 3, 4)
    mixed = np.einsum("ahi,hio->aoh", flat, mix.weight.detach().numpy()) + mix.bias.detach().numpy()
    x = facula.from_numpy(A.copy())
    for model in (network, copy.deepcopy(network)):
        np.testing.assert_allclose(model(x).detach().numpy(), mixed.max(2), rtol=1e-5)
    network(x).sum().backward()
    assert mix.bias.grad.flatten().tolist() == [2.0] * 5
    assert pickle.loads(pickle.dumps(network[0]))(x).shape == (2, 12)
    assert float(abs(EinMix("a i -> a o", weight_shape="i o", i=100, o=7).weight).max()) <= (3 / 100) ** 0.5


PROGRAM = """
import sys
import {first}
assert not {{"einops", "facula"}} <= sys.modules.keys()
import {second}
import facula, einops, einops._backends, inspect
assert einops.rearrange(facula.zeros(2, 3), "a b -> b a").shape == (3, 2)
assert "class AbstractBackend" in inspect.getsource(einops._backends)
assert not any(".companions" in type(finder).__module__ for finder in sys.meta_path)
print(einops._backends.__spec__.loader is einops._backends.__loader__, "torch" in sys.modules)
"""


@pytest.mark.parametrize(("first", "second"), [("einops", "facula"), ("facula", "einops")])
def test_either_import_order_works(first, second):
    program = PROGRAM.format(first=first, second=second)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "True False\n", done.stderr


def test_finding_the_module_imports_no_backend():
    """Check also that the next import still finds the backend."""
    program = (
        "import sys, types, facula, importlib.util as util\n"
        "package = types.ModuleType('einops'); package.__path__ = util.find_spec('einops')."
        "submodule_search_locations; sys.modules['einops'] = package\n"
        "spec = util.find_spec('einops._backends')\n"
        "assert 'class AbstractBackend' in spec.loader.get_source('einops._backends')\n"
        "assert 'einops._backends' not in sys.modules; del sys.modules['einops']\n"
        "import einops; print(einops.rearrange(facula.zeros(2, 3), 'a b -> b a').shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "facula.Size([3, 2])\n", done.stderr


def test_a_pytorch_program_uses_einops(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(
        "import torch\n"
        "from einops import rearrange\n"
        "from einops.layers.torch import EinMix, Rearrange, Reduce\n"
        "model = torch.nn.Sequential(Rearrange('a (b c) -> a b c', c=3), Reduce('a b c -> a c', 'mean'),\n"
        "                            EinMix('a c -> a d', weight_shape='c d', bias_shape='d', c=3, d=2))\n"
        "out = model(torch.ones(4, 6)); out.sum().backward()\n"
        "print(rearrange(out, 'a d -> d a').shape, model[2].bias.grad.flatten().tolist())\n"
    )
    done = subprocess.run([sys.executable, "-m", "facula", "run", str(script)], capture_output=True, text=True)
    assert done.stdout == "facula.Size([2, 4]) [4.0, 4.0]\n", done.stderr


def test_without_einops_facula_imports_and_the_layers_name_the_missing_package():
    program = (
        "import sys; sys.modules['einops'] = None\nimport facula\n"
        "try:\n    import facula.utils.einops\nexcept ModuleNotFoundError as error:\n    print(error.name)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("einops"), done.stderr
