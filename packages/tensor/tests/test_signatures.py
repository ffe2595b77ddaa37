"""Signatures of operators in `inspect`, `help` and editors; surplus arguments are errors."""

import inspect
import pydoc

import pytest

import facula_tensor as ft
import facula_tensor.functional as functional
from facula_errors.testing import raises

FUNCTIONS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": getattr(module, name)
    for module in (ft, functional)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name))
}
METHODS = {
    f"Tensor.{name}": function
    for name, function in vars(ft.Tensor).items()
    if inspect.isfunction(function) and not name.startswith("_")
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS | METHODS))
def test_signatures_show_public_arguments(name):
    function = (FUNCTIONS | METHODS)[name]
    for parameter in inspect.signature(function).parameters:
        assert not parameter.startswith("_") or parameter == "_stacklevel"  # which PyTorch's softmax has
        assert parameter not in ("parameters", "operands") or name == "facula_tensor.result_type"
    assert function.__doc__


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (ft.relu, "input, *, out"),
        (ft.mul, "input, other, *, out"),
        (ft.add, "input, other, *, alpha, out"),
        (ft.Tensor.add_, "self, other, *, alpha"),
        (ft.Tensor.mul_, "self, other"),
        (ft.Tensor.exp_, "self"),
        (ft.Tensor.__add__, "self, other"),
        (ft.Tensor.__neg__, "input, *, out"),
        (ft.Tensor.eq_, "self, other"),
        (ft.Tensor.logical_not_, "self"),
        (ft.t, "input"),
        (ft.Tensor.view, "input, *shape, *, size, dtype"),
        (ft.where, "condition, input, other, *, out"),
    ],
)
def test_some_signatures(function, names):
    shown, starred = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        shown.append(("*" if parameter.kind is parameter.VAR_POSITIONAL else "") + parameter.name)
    assert ", ".join(shown) == names


def test_help():
    text = pydoc.render_doc(ft.relu, renderer=pydoc.plaintext)
    assert "relu(input: 'Tensor', *, out: 'Tensor | None' = None) -> 'Tensor'" in text
    assert "or 0 if it is negative" in text


@pytest.mark.parametrize("surplus", [0, None, False, (1,), [], 3])
def test_surplus_arguments_are_rejected(surplus):
    x = ft.ones(3)
    x.relu()  # the fast path now has the plan
    x.exp_()
    for call in (
        lambda: ft.relu(x, surplus),
        lambda: x.relu(surplus),
        lambda: x.exp_(surplus),
        lambda: ft.mul(x, x, surplus),
        lambda: x.mul_(x, surplus),
        lambda: x.add_(x, surplus),
        lambda: x.sub_(1, surplus),
        lambda: x.eq_(x, surplus),
        lambda: x.logical_not_(surplus),
    ):
        with pytest.raises(TypeError):
            call()
    assert x.tolist() == ft.ones(3).exp().tolist()
    assert x._version == 1


def test_alpha_is_keyword_only():
    x = ft.ones(2)
    assert x.add_(x, alpha=2).tolist() == [3, 3]
    assert ft.sub(x, 1, alpha=3).tolist() == [0, 0]
    with raises(TypeError, "mul", "takes no alpha"):
        ft.mul(x, x, alpha=2)
    with raises(TypeError, "mul_", "takes no alpha"):
        x.mul_(x, alpha=2)


def spelled(text):
    """Evaluate an expression to plain values."""
    x = ft.arange(6.0).reshape(2, 3) + 1
    names = {
        "ft": ft, "F": functional, "x": x, "y": ft.full((2, 3), 2.0), "z": ft.ones(3, 2), "o": ft.ones(1, 1, 2),
        "i": ft.arange(1, 4), "b": x > 3, "q": ft.ones(1, 2, 3, 3), "half": ft.full((3,), 0.5), "cl": ft.channels_last,
    }  # fmt: skip
    ft.manual_seed(0)
    return plain(eval(text, names))


def plain(value):
    if isinstance(value, tuple):
        return tuple(plain(entry) for entry in value)
    return (value.dtype, tuple(value.shape), value.tolist()) if isinstance(value, ft.Tensor) else value


SPELLINGS = {
    "ft.zeros(2, 3)": ["ft.zeros(size=(2, 3))", "ft.zeros(2, 3, out=ft.empty(0))",
                       "ft.zeros((2, 3), layout=ft.strided)"],
    "ft.ones(2)": ["ft.ones([2], out=ft.empty(2))", "ft.ones(2, pin_memory=False)",
                   "x.new_ones((2,), layout=ft.strided)"],
    "ft.full((2,), 3.0)": ["ft.full(size=(2,), fill_value=3.0)", "ft.full((2,), ft.tensor(3.0), out=ft.empty(2))"],
    "ft.eye(2, 3)": ["ft.eye(n=2, m=3)", "ft.eye(2, 3, out=ft.empty(2, 3))"],
    "ft.arange(3)": ["ft.arange(end=3)", "ft.arange(0, end=3)", "ft.arange(start=0, end=3, step=1)",
                     "ft.arange(3, out=ft.empty(3, dtype=ft.int64))"],
    "ft.linspace(0, 1, 3)": ["ft.linspace(start=0, end=1, steps=3)", "ft.linspace(0, 1, 3, out=ft.empty(3))"],
    "ft.zeros_like(x)": ["ft.zeros_like(input=x, layout=ft.strided)",
                         "ft.full_like(x, fill_value=0, pin_memory=False)"],
    "ft.rand(2)": ["ft.rand(size=(2,))", "ft.rand(2, out=ft.empty(2))", "ft.rand((2,), layout=ft.strided)",
                   "ft.rand_like(ft.ones(2), layout=ft.strided)"],
    "ft.randint(0, 10, (2,))": ["ft.randint(10, (2,))", "ft.randint(10, size=(2,))", "ft.randint(high=10, size=(2,))",
                                "ft.randint(low=0, high=10, size=[2])", "ft.randint(0, high=10, size=(2,))"],
    "ft.randperm(4)": ["ft.randperm(n=4)", "ft.randperm(4, out=ft.empty(4, dtype=ft.int64))"],
    "ft.empty(3).normal_(1.0, 2.0)": ["ft.empty(3).normal_(mean=1, std=2)", "ft.empty(3).normal_(1.0, std=2.0)",
                                      "ft.normal(1.0, 2.0, (3,))", "ft.normal(mean=1.0, std=2.0, size=(3,))",
                                      "ft.normal(ft.ones(3), 2.0)", "ft.normal(1.0, std=ft.full((3,), 2.0))",
                                      "ft.normal(mean=ft.ones(3), std=ft.full((1,), 2.0))"],
    "ft.empty(3).uniform_(1.0, 2.0)": ["ft.empty(3).uniform_(1, to=2)", "ft.empty(3).uniform_(**{'from': 1, 'to': 2})",
                                       "ft.empty(3).uniform_(a=1, b=2)"],
    "ft.empty(3).random_(0, 5)": ["ft.empty(3).random_(5)", "ft.empty(3).random_(to=5)",
                                  "ft.empty(3).random_(**{'from': 0, 'to': 5})"],
    "ft.bernoulli(half)": ["ft.bernoulli(half, 0.5)", "ft.bernoulli(input=half, p=0.5)", "half.bernoulli()"],
    "x.new_tensor([1, 2])": ["x.new_tensor(data=[1, 2])", "ft.tensor(data=[1.0, 2.0])"],
    "x ** 2": ["ft.pow(x, exponent=2)", "ft.pow(input=x, exponent=2)", "x.pow(exponent=2)",
               "x.clone().pow_(exponent=2)",
               "ft.pow(x, 2, out=ft.empty(2, 3))"],
    "2 ** x": ["ft.pow(2, x)", "ft.pow(self=2, exponent=x)", "ft.pow(2, exponent=x)"],
    "x + y": ["ft.add(input=x, other=y)", "x.add(other=y)", "x.clone().add_(other=y)"],
    "x / y": ["ft.div(x, other=y)", "ft.true_divide(input=x, other=y)", "x.div(other=2)"],
    "x.maximum(y)": ["x.max(other=y)", "ft.max(input=x, other=y)", "x.max(y)", "ft.maximum(x, other=y)"],
    "x.minimum(y)": ["x.min(other=y)", "ft.min(x, y)"],
    "x.sum()": ["x.sum(dim=None)", "ft.sum(input=x)", "x.sum(dim=(0, 1))", "x.sum(axis=(0, 1))"],
    "x.mean()": ["x.mean(dim=None)", "ft.mean(x, dtype=ft.float32)"],
    "x.amax()": ["x.amax(dim=None)", "ft.amax(x, None)", "x.amax(())"],
    "x.softmax(1)": ["x.softmax(dim=1)", "x.softmax(-1, ft.float32)", "ft.softmax(x, axis=1)", "F.softmax(x, dim=1)"],
    "x.log_softmax(1)": ["ft.log_softmax(x, 1, ft.float32)", "x.log_softmax(axis=-1)"],
    "x @ z": ["x.matmul(other=z)", "ft.mm(x, mat2=z)", "ft.matmul(input=x, other=z)"],
    "i.dot(i)": ["ft.dot(i, tensor=i)", "ft.dot(input=i, tensor=i)"],
    "ft.cat([x, y], 1)": ["ft.cat(tensors=[x, y], dim=1)", "ft.concatenate([x, y], axis=1)", "ft.cat((x, y), axis=-1)"],
    "ft.stack([x, y], 1)": ["ft.stack(tensors=[x, y], dim=1)", "ft.stack((x, y), axis=1)",
                            "ft.stack([x, y], 1, out=ft.empty(2, 2, 3))"],
    "x.view(3, 2)": ["x.view((3, 2))", "x.view([3, 2])", "x.view(ft.Size((3, 2)))", "x.reshape(shape=(3, 2))",
                     "ft.reshape(x, shape=[3, 2])", "x.reshape_as(z)", "x.view_as(other=z)"],
    "x.t()": ["x.permute(1, 0)", "x.permute(dims=(1, 0))", "ft.permute(x, dims=[1, 0])",
              "ft.permute(input=x, dims=(1, 0))",
              "x.transpose(dim0=0, dim1=1)", "ft.swapaxes(x, axis0=0, axis1=1)", "x.swapaxes(axis0=0, axis1=1)",
              "x.swapdims(dim0=0, dim1=1)", "ft.t(input=x)"],
    "o.squeeze(0)": ["o.squeeze(dim=0)", "o.squeeze(axis=0)", "o.squeeze(dim=(0,))"],
    "x.unsqueeze(0)": ["x.unsqueeze(dim=0)", "ft.unsqueeze(x, axis=0)"],
    "x.flatten()": ["x.flatten(start_dim=0, end_dim=-1)", "ft.flatten(input=x)"],
    "x.split(1)": ["ft.split(tensor=x, split_size_or_sections=1)", "x.split(split_size=1, dim=0)", "x.split([1, 1])",
                   "ft.chunk(x, chunks=2, dim=0)", "x.chunk(2, axis=0)"],
    "x.unbind(1)": ["x.unbind(dim=1)", "ft.unbind(x, axis=1)"],
    "x.expand(4, 2, 3)": ["x.expand(size=(4, 2, 3))", "ft.broadcast_to(x, (4, 2, 3))",
                          "x.broadcast_to(size=(4, 2, 3))"],
    "x.select(1, 0)": ["x.select(axis=1, index=0)", "ft.select(x, axis=1, index=0)", "x.select(dim=1, index=0)"],
    "x.narrow(1, 0, 2)": ["x.narrow(axis=1, start=0, length=2)", "ft.narrow(x, axis=-1, start=0, length=2)"],
    "x.to(ft.float64)": ["x.to(dtype=ft.float64)", "x.to('cpu', ft.float64, False, True)", "x.type(ft.float64)",
                         "x.type('torch.DoubleTensor')", "x.type(ft.DoubleTensor)", "x.type(dtype='DoubleTensor')",
                         "ft.DoubleTensor(x.tolist())", "x.type(float)",
                         "x.to(ft.float64, non_blocking=True, copy=True)", "x.type_as(other=x.double())"],
    "ft.where(b, x, y)": ["ft.where(condition=b, input=x, other=y)", "x.where(condition=b, other=y)"],
    "ft.nonzero(b)": ["b.nonzero(as_tuple=False)", "ft.nonzero(b, out=ft.empty(0, dtype=ft.int64))"],
    "ft.result_type(x, i)": ["ft.result_type(tensor=x, other=i)", "ft.promote_types(type1=x.dtype, type2=i.dtype)"],
    "ft.can_cast(ft.int32, ft.float32)": ["ft.can_cast(from_=ft.int32, to=ft.float32)"],
    "x.size(0)": ["x.size(dim=0)", "x.ndimension()", "x.stride(0) - 1"],
    "x.numel()": ["ft.numel(x)", "x.nelement()"],
    "x.is_contiguous()": ["x.is_contiguous(memory_format=ft.contiguous_format)", "ft.is_floating_point(x)",
                          "q.contiguous(memory_format=cl).is_contiguous(memory_format=cl)",
                          "not q.is_contiguous(memory_format=cl)", "not x.is_contiguous(memory_format=cl)",
                          "ft.empty(1, 2, 3, 3, memory_format=cl).is_contiguous(memory_format=cl)"],
    "x.clone().resize_(3, 2)": ["x.clone().resize_(size=(3, 2))", "x.clone().resize_(3, 2, memory_format=None)"],
    "y": ["x.clone().copy_(src=y)", "x.clone().copy_(y, True)", "x.clone().fill_(value=2)",
          "y.cpu(memory_format=None)"],
}  # fmt: skip


@pytest.mark.parametrize("call", SPELLINGS)
def test_pytorchs_spellings(call):
    wanted = spelled(call)
    for spelling in SPELLINGS[call]:
        assert spelled(spelling) == wanted, spelling


def test_explicit_copies():
    x = ft.ones(2)
    for other in (x.to(ft.float32), x.to("cpu", ft.float32, True), x.to(x), x.to(None), x.to(ft.float32, False, False)):
        assert other is x
    for other in (x.to(ft.float32, False, True), x.to("cpu", ft.float32, False, True), x.to(x, False, True)):
        assert other.data_ptr() != x.data_ptr()
    with raises(TypeError, "to", "expected non_blocking and copy at most", value="3 flags"):
        x.to(ft.float32, False, True, True)


def test_options_of_creation():
    assert ft.randint(0, 9, (2,), dtype=ft.float32, requires_grad=True).requires_grad
    assert ft.randperm(3, dtype=ft.float64, requires_grad=True).requires_grad
    assert ft.zeros(2, out=ft.empty(2), requires_grad=True).requires_grad
    assert ft.zeros(2, out=ft.empty(2, dtype=ft.int8)).dtype is ft.int8
    assert ft.zeros(1).layout is ft.strided
    import pickle

    assert pickle.loads(pickle.dumps(ft.strided)) is ft.strided
    target = ft.ones(3)
    before = target._version
    assert ft.arange(3.0, out=target) is target
    assert target.tolist() == [0, 1, 2]
    assert target._version > before


@pytest.mark.parametrize(
    "function", [ft.add, ft.Tensor.add_, ft.Tensor.__add__, ft.exp, ft.Tensor.exp_, ft.Tensor.view]
)
def test_inspect_finds_the_declaration(function):
    name = function.operator.name
    source = inspect.getsource(function)
    assert source.startswith(("@elementwise\n", "@view\n", "@unary("))
    assert any(f"{declared}{name}" in source for declared in ("class ", "class _", "def "))


def test_profilers_see_the_name_of_an_operator():
    """Functions generated from the same template have different names in a profile."""
    import cProfile
    import pstats

    x = ft.ones(3, requires_grad=True)
    profile = cProfile.Profile()
    with profile:
        (x * x + x.exp()).sum().backward()
    names = {name for _, _, name in pstats.Stats(profile).stats}  # type: ignore[attr-defined]
    assert {"add", "mul", "exp", "sum", "expand"} <= names


def test_methods_have_the_parameters_of_pytorch():
    x = ft.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match="out"):
        x.pow(2, out=ft.empty(2))
    with pytest.raises(TypeError, match="exponent"):
        x.pow()
    assert ft.Tensor.div_(self=x, other=2).tolist() == [0.5, 1.0]
    assert ft.Tensor.index_fill_(self=x, dim=0, index=ft.tensor([1]), value=3).tolist() == [0.5, 3.0]
    assert ft.clamp_(input=x, max=2).tolist() == [0.5, 2.0]
