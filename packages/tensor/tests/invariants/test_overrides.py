"""Each method, property and function passes the public object that the program called to `__torch_function__`."""

from __future__ import annotations

import inspect
from traceback import walk_tb
from types import FunctionType

import pytest

import facula_tensor as ft
from facula_errors import full_traceback
from facula_errors.testing import raises
from facula_tensor import Tensor, fft, functional, linalg, special
from facula_tensor._dispatch.overrides import disable_overrides
from facula_tensor._dispatch.torch_function import _NOT_DISPATCHED, _OPERATORS, _PRIVATE


class Recorded(Tensor):
    """Records the functions passed to its `__torch_function__`, and computes no result."""

    asked: list = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.asked.append((func, args, kwargs))
        return 7


with disable_overrides():
    M = ft.ones(2, 2).as_subclass(Recorded)


def first_asked(call, *choices):
    """Return the first function that `call` passes, using the first of `choices` that reaches `__torch_function__`."""
    for arguments in choices:
        Recorded.asked.clear()
        try:
            call(*arguments)
        except Exception:
            pass
        if Recorded.asked:
            return Recorded.asked[0][0]
    return None


def members(kind):
    names = [name for base in Tensor.__mro__[:2] for name, member in vars(base).items() if isinstance(member, kind)]
    private = [name for name in names if name.startswith("_") and not name.startswith("__") and name not in _PRIVATE]
    return sorted({*names} - {*private} - _NOT_DISPATCHED)


@pytest.mark.parametrize("name", members(FunctionType))
def test_methods(name):
    called = getattr(M, name)
    public = getattr(Tensor, _OPERATORS.get(name, name))
    assert first_asked(called, (), (2,), (2, 3)) is public
    assert Recorded.asked[0][1][0] is M


@pytest.mark.parametrize("name", members(property))
def test_properties(name):
    described = inspect.getattr_static(Tensor, name)
    assert first_asked(getattr, (M, name)) == getattr(Tensor, name).__get__
    if described.fset is not None:
        assert first_asked(setattr, (M, name, None)) == getattr(Tensor, name).__set__


# Functions without tensor arguments, or that do not dispatch in PyTorch, either. `where` of one tensor is
# `nonzero`.
UNASKED = set(
    "arange as_tensor asarray broadcast_shapes can_cast compiled_with_cxx11_abi empty empty_permuted empty_strided eye "
    "fftfreq from_dlpack from_file from_numpy frombuffer full fuse get_default_device get_default_dtype "
    "get_printoptions get_rng_state initial_seed is_grad_enabled is_storage is_tensor manual_seed ones promote_types "
    "rand randint randn randperm range rfftfreq scalar_tensor seed set_default_device set_default_dtype "
    "set_printoptions set_rng_state tensor to_dlpack tril_indices triu_indices typename vmap where zeros".split()
)
ARGUMENTS = [
    (M,), (M, M), (M, M, M), ([M, M],), (M, 1), (M, 0, 1), (M, 1, M), (M, 0, M, M), (M, (2, 2)), (1, M), (M, M, 1),
    (M, M, M, M), (M, M, M, M, M), ("ij", M), (M, 2, (1,)), (M, (1,), (1,)), (M, None, 2), (M, [M]), (M, 0, M, 1),
]  # fmt: skip
FUNCTIONS = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (ft, functional, linalg, fft, special)
    for name in module.__all__
    if isinstance(getattr(module, name), FunctionType) and name not in UNASKED
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    assert first_asked(FUNCTIONS[name], *ARGUMENTS) is FUNCTIONS[name]


def test_the_arguments_of_the_public_function_are_passed():
    assert first_asked(lambda: functional.leaky_relu(M, negative_slope=0.5), ()) is functional.leaky_relu
    _, args, kwargs = Recorded.asked[0]
    assert len(args) == 1 and args[0] is M and kwargs == {"negative_slope": 0.5}


OPERATORS = {
    "M + 1": (Tensor.add, 1), "1 + M": (Tensor.add, 1), "M - 1": (Tensor.sub, 1), "1 - M": (Tensor.__rsub__, 1),
    "P - M": (Tensor.sub, "P"), "P @ M": (Tensor.matmul, "P"), "M @ P": (Tensor.matmul, "M"), "-M": (Tensor.neg, "M"),
    "P / M": (Tensor.div, "P"), "M < 1": (Tensor.lt, 1), "M == 1": (Tensor.__eq__, 1), "M[0]": (Tensor.__getitem__, 0),
    "len(M)": (Tensor.__len__, "M"), "abs(M)": (Tensor.abs, "M"), "P.add(M)": (Tensor.add, "P"),
    "M.shape": (Tensor.shape.__get__, "M"),
}  # fmt: skip


@pytest.mark.parametrize("written", OPERATORS)
def test_python_operators(written):
    function, operand = OPERATORS[written]
    values = {"M": M, "P": ft.zeros(2, 2)}
    first_asked(lambda: eval(written, values), ())
    func, args, _ = Recorded.asked[0]
    assert func == function
    wanted = values.get(operand, operand) if isinstance(operand, str) else operand
    assert args[0] is wanted or args[-1] is wanted or args[-1] == wanted


def test_a_table_of_public_functions_implements_overrides():
    class Handled(Tensor):
        handled = {Tensor.clone: lambda x: "clone", functional.gelu: lambda x: "gelu", ft.mean: lambda x: "mean"}  # noqa: RUF012

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func in cls.handled:
                return cls.handled[func](*args)
            return super().__torch_function__(func, types, args, kwargs)

    x = ft.ones(2).as_subclass(Handled)
    assert (x.clone(), functional.gelu(x), ft.mean(x)) == ("clone", "gelu", "mean")
    assert type(x.mean()) is type(functional.silu(x)) is type(next(iter(x.unsqueeze(0)))) is Handled
    assert x.grad is None
    assert (x == None) is False  # noqa: E711
    assert repr(x) == "Handled([1., 1.])"


def test_overridable_functions_keep_signature_and_errors():
    assert "approximate" in inspect.signature(functional.gelu).parameters
    with raises(TypeError, "linear"):
        functional.linear(1, ft.ones(1, 1))
    assert functional.gelu(ft.zeros(1)).tolist() == [0.0]


def test_frames_of_overridable_functions_show_free_variables():
    repr(M + 1)
    assert ft.result_type.__code__.co_freevars and ft.result_type.dispatches_itself
    with full_traceback(True), pytest.raises(TypeError) as caught:
        ft.result_type("a", 1)
    frames = [frame for frame, _ in walk_tb(caught.tb) if frame.f_code is ft.result_type.__code__]
    assert len(frames) == 1
    assert {*ft.result_type.__code__.co_freevars} <= {*frames[0].f_locals}


def test_gradients_of_repeated_views_of_a_leaf_without_overrides():
    class Plain(Tensor):
        pass

    with disable_overrides():
        leaf = ft.arange(6.0).as_subclass(Plain).requires_grad_()
        for _ in range(2):  # the second view is found in the table
            (leaf.view(2, 3) * ft.ones(2, 3)).sum().backward()
        assert leaf.grad.tolist() == [2.0] * 6
