"""NumPy's argument names, which operators accept as in PyTorch; and the argument names of `view`."""

import inspect

import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor import fft, linalg, special

X = ft.tensor([[3.0, 1.0, 2.0], [0.5, -1.0, 4.0], [1.5, 2.5, -3.0]])
INDEX = ft.tensor([[0, 1, 2], [2, 0, 1], [1, 1, 0]])
ROWS = ft.tensor([0, 2])
SOURCE = ft.tensor([[1.0, 2.0, 5.0], [3.0, 4.0, 6.0], [7.0, 8.0, 9.0]])
THREE = ft.tensor([0, 2, 1])
OTHER = {  # the further arguments of a call
    "quantile": {"q": 0.25}, "nanquantile": {"q": 0.25}, "tensor_split": {"indices_or_sections": 3},
    "gather": {"index": INDEX}, "index_select": {"index": ROWS}, "index_add": {"index": THREE, "source": SOURCE},
    "index_copy": {"index": THREE, "source": SOURCE}, "index_fill": {"index": ROWS, "value": 7.0},
    "index_reduce": {"index": THREE, "source": SOURCE, "reduce": "prod"}, "scatter": {"index": INDEX, "src": X * 2},
    "scatter_add": {"index": INDEX, "src": X * 2}, "scatter_reduce": {"index": INDEX, "src": X * 2, "reduce": "sum"},
    "take_along_dim": {"indices": INDEX}, "repeat_interleave": {"repeats": 2}, "cross": {"other": X * 2 + 1},
    "kthvalue": {"k": 2}, "topk": {"k": 2}, "chunk": {"chunks": 3}, "select": {"index": 0}, "sort": {}, "argsort": {},
    "narrow": {"start": 0, "length": 2}, "unflatten": {"sizes": (3, 1)},
}  # fmt: skip
PLAIN = """aminmax diff cumsum cumprod cummax cummin logcumsumexp softmax log_softmax sum mean prod any all max min
argmax argmin amax amin std var logsumexp median nanmedian mode nansum nanmean count_nonzero unbind squeeze
unsqueeze""".split()
ONLY_FUNCTIONS = "trapezoid cumulative_trapezoid std_mean var_mean".split()
METHODS = {name: OTHER.get(name, {}) for name in (*OTHER, *PLAIN)}
ALONG_ONE = "fft ifft rfft irfft hfft ihfft fftshift ifftshift".split()
ALONG_SOME = "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn".split()


def flat(result):
    return [output.tolist() for output in result] if isinstance(result, (tuple, list)) else result.tolist()


def check(function, *args, at=1, **kwargs):
    """Check that `axis` is `dim` and has an effect: another dimension gives another result or another shape."""
    assert flat(function(*args, axis=at, **kwargs)) == flat(function(*args, dim=at, **kwargs))
    if at == 1 and function.__name__ not in ("squeeze",):
        assert flat(function(*args, axis=1, **kwargs)) != flat(function(*args, axis=0, **kwargs))


@pytest.mark.parametrize("name", METHODS)
def test_axis_of_methods_and_functions(name):
    x = ft.tensor([[1.0, 1, 2], [0, 3, 0], [0, 0, 0]]) if name in ("any", "all", "count_nonzero") else X
    x = ft.tensor([[0.0, 2, 1], [4, 3, 5]]) if name in ("argmax", "argmin") else x
    check(getattr(ft, name), x, **METHODS[name])
    if hasattr(ft.Tensor, name):
        check(getattr(x, name), **METHODS[name])


@pytest.mark.parametrize("name", ONLY_FUNCTIONS)
def test_axis_of_functions(name):
    check(getattr(ft, name), X)


@pytest.mark.parametrize("name", ALONG_ONE)
def test_axis_of_fourier_transforms(name):
    check(getattr(fft, name), X)


@pytest.mark.parametrize("name", ALONG_SOME)
@pytest.mark.parametrize("dims", [(0, 1), (1, 0), 1])
def test_axis_of_fourier_transforms_along_several(name, dims):
    check(getattr(fft, name), X, at=dims)


def test_axis_of_other_functions():
    for function in (linalg.vector_norm, linalg.norm, special.softmax, special.logsumexp):
        check(function, X)
    check(linalg.matrix_norm, X, at=(1, 0))
    check(linalg.vecdot, X, X + 1)
    check(linalg.cross, X, X + 1)
    check(ft.cosine_similarity, X, X + 1)
    assert flat(ft.gradient(X, axis=0)) == flat(ft.gradient(X, dim=0)) != flat(ft.gradient(X, dim=1))


def test_keepdims_and_the_operand():
    assert ft.quantile(X, 0.5, axis=1, keepdims=True).shape == ft.quantile(X, 0.5, dim=1, keepdims=True).shape == (3, 1)
    assert linalg.vector_norm(x=X, axis=0, keepdims=True).shape == (1, 3)
    assert ft.diff(a=X).tolist() == ft.diff(X).tolist()


def test_gradients_of_calls_by_other_names():
    x = X.clone().requires_grad_()
    x.gather(axis=0, index=INDEX).sum().backward()
    fft.rfft(x, axis=0).abs().sum().backward()
    y = X.clone().requires_grad_()
    (y.gather(0, INDEX).sum() + fft.rfft(y, dim=0).abs().sum()).backward()
    assert x.grad.allclose(y.grad)


@pytest.mark.parametrize(
    "call",
    [lambda: ft.diff(X, dim=0, axis=1), lambda: X.diff(1, 0, axis=1), lambda: ft.diff(X, axes=1),
     lambda: X.gather(0, INDEX, axis=1), lambda: fft.fft(X, axis="rows"), lambda: ft.diff(X, keepdims=True),
     lambda: X.view(shape=(9,)), lambda: X.view(size=(9,), dtype=ft.int32), lambda: X.t(size=(9,))],
)  # fmt: skip
def test_other_names_that_are_rejected(call):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert all(not frame.filename.endswith("/_other_names.py") for frame in inspect.getinnerframes(caught.tb))


def test_errors_are_equal_for_both_names():
    with raises(IndexError, "diff", "dim is 5"):
        ft.diff(X, axis=5)
    with raises(IndexError, "diff", "dim is 5") as caught:
        X.diff(axis=5)
    assert len(inspect.getinnerframes(caught.value.__traceback__)) == 1


def test_names_of_views():
    for shape in ((9,), [9, 1], (3, -1), 9, ft.Size([1, 9])):
        assert X.view(size=shape).shape == X.view(shape).shape
    bits = X.view(dtype=ft.int32)
    assert bits.dtype is ft.int32 and bits.tolist() == X.view(ft.int32).tolist()
    x = X.clone().requires_grad_()
    x.view(size=(9,))[1].backward()
    assert x.grad.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert X.view(size=(9,))._base is X[0][1:]._base is X
    assert X._base is X.clone()._base is X.detach()._base is None
