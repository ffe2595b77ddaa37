"""Functions that read elements or compute on the host: on devices, how often they wait and how much they copy."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from fake_backend import fake, numbers

import facula_tensor as ft
import facula_tensor.functional as F
from facula_autograd import checkpoint, detect_anomaly
from facula_errors.testing import raises
from facula_storage.extend import Place

DEVICES = ("cpu", "fake", "fake:1", "plain")


@pytest.fixture(autouse=True)
def nothing_queued():
    fake().run()
    yield
    fake().run()
    fake().failed.clear()


class Watch:
    """The waits of device "fake", and the bytes that it copies to the host."""

    def __init__(self, monkeypatch):
        self.backend, self.nbytes = fake(), 0
        across = type(self.backend).copy_across

        def copied(backend, source: Place, target: Place, non_blocking: bool) -> None:
            if target.layout.device.type == "cpu":
                self.nbytes += source.layout.nbytes
            across(backend, source, target, non_blocking)

        monkeypatch.setattr(type(self.backend), "copy_across", copied)
        self.first = self.backend.waits

    @property
    def waits(self):
        return self.backend.waits - self.first


@pytest.fixture
def watch(monkeypatch):
    return Watch(monkeypatch)


# ------------------------------------------------------------------------------------------------ random numbers
@pytest.mark.parametrize("device", DEVICES)
def test_each_type_of_device_draws_the_same_numbers_after_a_seed(device):
    def draws(place):
        ft.manual_seed(11)
        found = [ft.rand(5, device=place), ft.randn(3, device=place), ft.empty(4, device=place).uniform_()]
        found += [F.dropout(ft.ones(64, device=place), 0.5, True), ft.randperm(50, device=place)]
        found += [ft.poisson(ft.full((8,), 3.0, device=place)), ft.bernoulli(ft.full((9,), 0.5, device=place))]
        return [numbers(one) for one in found]

    for here, there in zip(draws("cpu"), draws(device), strict=True):
        np.testing.assert_array_equal(here, there)


def test_devices_draw_from_generators_of_their_own():
    ft.manual_seed(3)
    wanted = [ft.rand(4).tolist(), ft.rand(4).tolist()]
    ft.manual_seed(3)
    state = ft.get_rng_state()
    there = [ft.rand(4, device=device).tolist() for device in ("fake", "fake:1", "plain")]
    assert ft.equal(ft.get_rng_state(), state)
    assert there == [wanted[0]] * 3
    assert ft.rand(4, device="fake").tolist() == wanted[1]
    assert ft.rand(4).tolist() == wanted[0]
    assert ft.initial_seed() == 3 and ft.seed() == ft.initial_seed()
    assert ft.rand(4, device="plain").tolist() == ft.rand(4).tolist()
    ft.manual_seed(0)


def test_recomputed_functions_draw_again_on_devices():
    weights = []

    def function(x):
        weights.append(F.dropout(x, 0.5, True) + ft.rand(32, device="fake"))
        return weights[-1] * F.dropout(ft.ones(32), 0.5, True).to("fake")

    for kept in (True, False):
        weights.clear()
        x = ft.ones(32, device="fake", requires_grad=True)
        result = checkpoint(function, x, use_reentrant=False, preserve_rng_state=kept)
        ft.rand(7, device="fake")
        result.sum().backward()
        assert (weights[0].tolist() == weights[1].tolist()) is kept


@pytest.mark.parametrize("dtype", [None, ft.int32, ft.float32])
def test_randperm_sorts_on_the_device(dtype, watch):
    ft.manual_seed(5)
    wanted = ft.randperm(1000, dtype=dtype)
    made = ft.randperm(1000, dtype=dtype, device="fake")
    assert watch.waits == 0 and str(made.device) == "fake" and made.dtype is wanted.dtype
    assert made.tolist() == wanted.tolist()
    own = ft.Generator("fake").manual_seed(5)
    assert ft.randperm(1000, device="fake", generator=own).tolist() == wanted.tolist()
    with raises(ValueError, "randperm", "generator", value="'cpu'"):
        ft.randperm(3, device="fake", generator=ft.Generator())


# --------------------------------------------------------------------------------------------- other functions
@pytest.mark.parametrize("dtype", [ft.int64, ft.float32, ft.float16])
def test_isin_searches_sorted_tests(dtype, watch):
    elements = ft.randint(0, 100, (3, 40)).to(dtype)
    tests = ft.randint(0, 100, (5, 10)).to(dtype)
    if dtype is not ft.int64:
        elements[0, 0], tests[0, 0], elements[0, 1], tests[0, 1] = *[float("nan")] * 2, *[float("inf")] * 2
    wanted = ft.isin(elements, tests)
    first = len(fake().queue)
    found = ft.isin(elements.to("fake"), tests.to("fake"))
    work = [operator for operator, _, _ in fake().queue[first:]]
    assert watch.waits == 0 and "search_sorted" in work
    assert found.tolist() == wanted.tolist() and 0 < wanted.sum() < wanted.numel()
    without_zero = ft.isin(elements.to("fake") * 0, tests.to("fake").clamp(min=1))
    assert without_zero.tolist() == ft.isin(elements * 0, tests.clamp(min=1)).tolist()
    assert ft.isin(elements.to("fake")[:0], tests.to("fake")).shape == (0, 40)
    assert ft.isin(elements.to("fake"), 3, invert=True).tolist() == ft.isin(elements, 3, invert=True).tolist()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), None])
def test_anomaly_mode_reads_one_element_of_each_gradient(wrong, watch):
    def run(device):
        x = ft.ones(500, device=device, requires_grad=True)
        factor = ft.ones(500, device=device)
        if wrong is not None:
            factor[499] = wrong
        with detect_anomaly(check_inf=True):
            (x * factor).sum().backward()

    for device in ("cpu", "fake"):
        if wrong is None:
            run(device)
        else:
            with raises(RuntimeError, "detect_anomaly", "without NaN or infinity", "from the backward of mul"):
                run(device)
    assert watch.nbytes == 0 and watch.waits


def test_the_first_gradient_of_a_device_is_kept():
    for _ in range(2):
        x = ft.ones(3, device="fake", requires_grad=True)
        loss = (x * 2).sum()
        fake().run()
        first = len(fake().queue)
        loss.backward()
        work = [operator for operator, _, _ in fake().queue[first:]]
        assert x.grad.tolist() == [2, 2, 2]
    assert "fill" not in work


def test_printing_copies_the_edges(watch):
    x = ft.arange(1_000_000, device="fake").reshape(1000, 1000)
    shown = repr(x)
    assert shown.replace(", device='fake'", "") == repr(x.cpu())
    assert watch.nbytes - x.nbytes <= 36 * 8


# ------------------------------------------------------------------------------------------------ copies, pickles
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("protocol", [2, 5])
def test_pickles_and_copies_stay_on_the_device(device, protocol):
    x = ft.arange(12.0, device=device).reshape(3, 4)
    row, leaf = x[1], ft.ones(2, device=device, requires_grad=True)
    leaf.sum().backward()
    for again in (pickle.loads(pickle.dumps((x, row, leaf), protocol)), copy.deepcopy((x, row, leaf))):
        whole, part, wants = again
        assert {str(one.device) for one in again} == {device} and wants.requires_grad
        part.add_(1)
        assert whole.tolist() == [[0, 1, 2, 3], [5, 6, 7, 8], [8, 9, 10, 11]] and x[1].tolist() == [4, 5, 6, 7]
    assert again[2].grad.tolist() == [1, 1] and again[2].grad.device is x.device
    assert copy.copy(x).data_ptr() == x.data_ptr()
