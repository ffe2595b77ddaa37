"""`assert_close`: when values are close, and its message otherwise."""

import numpy as np
import pytest

import facula_tensor as ft
from facula_errors.testing import raises
from facula_tensor.testing import assert_close
from facula_tensor.testing._values import other_devices


@pytest.mark.parametrize(
    ("dtype", "near", "far"),
    [
        (ft.float64, 1 + 1e-7, 1 + 1e-6),
        (ft.float32, 1 + 1e-6, 1 + 1e-4),
        (ft.float16, 1 + 1e-3, 1 + 4e-3),
        (ft.bfloat16, 1 + 8e-3, 1 + 4e-2),
        (ft.complex64, 1 + 1e-6j, 1 + 1e-4j),
    ],
)
def test_by_dtype(dtype, near, far):
    one = ft.ones(2, dtype=dtype)
    assert_close(one * near, one)
    with pytest.raises(AssertionError, match="not close"):
        assert_close(one * far, one)


def test_the_message_shows_the_worst_element():
    expected = ft.zeros(2, 3) + 4
    actual = expected.clone()
    actual[0, 1], actual[1, 2] = 4.5, 2
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected)
    assert str(caught.value).splitlines() == [
        "Tensor-likes are not close!",
        "",
        "Mismatched elements: 2 / 6 (33.3%)",
        "Greatest absolute difference: 2.0 at index (1, 2) (up to 1e-05 allowed): got 2.0, expected 4.0",
        "Greatest relative difference: 0.5 at index (1, 2) (up to 1.3e-06 allowed): got 2.0, expected 4.0",
    ]


def test_integers_and_bools_must_be_equal():
    assert_close(ft.tensor([1, 2]), ft.tensor([1, 2]))
    large = ft.tensor([2**62 + 1])
    with pytest.raises(AssertionError, match=r"not equal!\n\nMismatched elements: 1 / 1"):
        assert_close(large, ft.tensor([2**62]))
    assert_close(ft.tensor([5]), ft.tensor([4]), rtol=0, atol=1)
    with pytest.raises(AssertionError):
        assert_close(ft.tensor([True]), ft.tensor([False]))


def test_nan_and_infinity():
    nan, inf = float("nan"), float("inf")
    x = ft.tensor([nan, inf, -inf])
    assert_close(x, x.clone(), equal_nan=True)
    with pytest.raises(AssertionError, match="1 / 3"):
        assert_close(x, x)
    with pytest.raises(AssertionError, match=r"inf at index \(0,\)"):
        assert_close(ft.tensor([1.0]), ft.tensor([inf]))


@pytest.mark.parametrize(
    ("a", "b", "options", "text"),
    [
        (ft.ones(2), ft.ones(3), {}, "'shape' do not match"),
        (ft.ones(2), ft.ones(2, dtype=ft.float64), {}, "'dtype' do not match"),
        (ft.ones(2), ft.ones(2, device="meta"), {}, "'device' do not match"),
        (ft.ones(2, 2), ft.ones(2, 2).t(), {"check_stride": True}, r"'stride\(\)' do not match"),
        ([ft.ones(2), 1.0], [ft.ones(2), 2.0], {}, r"Expected 2.0 but got 1.0(.|\n)*item \[1\]"),
        ({"a": [1, 2]}, {"a": [1, 3]}, {}, r"item \['a'\]\[1\]"),
        ([1], [1, 2], {}, "length of the sequences mismatch"),
        ({"a": 1}, {"b": 1}, {}, "keys of the mappings differ"),
    ],
)
def test_messages_name_the_difference(a, b, options, text):
    with pytest.raises(AssertionError, match=text):
        assert_close(a, b, **options)


def test_relaxed_checks():
    assert_close(ft.ones(2), ft.ones(2, dtype=ft.float64), check_dtype=False)
    assert_close(np.ones(2), ft.ones(2, dtype=ft.float64))
    assert_close([1.0, (2, None)], [1.0, (2, None)])


def test_custom_messages():
    with pytest.raises(AssertionError, match="mine"):
        assert_close(1, 2, msg="mine")
    with pytest.raises(AssertionError, match="Scalars are not equal"):
        assert_close(1, 2, msg=lambda text: text + " so")


def test_errors():
    with raises(ValueError, "assert_close", "both rtol and atol or neither"):
        assert_close(1, 1, rtol=1e-3)
    with raises(TypeError, "assert_close", value="str"):
        assert_close("a", "a")


def test_the_matrix_runs_on_the_devices_of_a_variable(monkeypatch):
    monkeypatch.setenv("FACULA_TEST_DEVICES", "meta no_such_device")
    assert other_devices() == ["meta"]
