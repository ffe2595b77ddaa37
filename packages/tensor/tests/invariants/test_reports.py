"""Errors of kernels on devices that run later: those of the CPU, at the next wait, with the line that caused them."""

from __future__ import annotations

import re
import sys
from gc import get_referents

import pytest
from fake_backend import fake

import facula_tensor as ft
import facula_tensor.functional as F
from facula_storage import LaunchError
from facula_tensor._core.errors import launch_error
from facula_tensor.extend import PendingLaunch, refusing


def ints(*values, device):
    return ft.tensor(values, device=device)


# Each fails by a kernel's status; the message of a device is that of the CPU.
BY_STATUS = {
    "getitem": lambda d: ft.arange(5, device=d)[ints(1, 7, device=d)],
    "take": lambda d: ft.arange(5, device=d).take(ints(1, 7, device=d)),
    "index_select": lambda d: ft.index_select(ft.ones(2, 3, device=d), 1, ints(0, 3, device=d)),
    "gather": lambda d: ft.ones(2, 3, device=d).gather(1, ft.tensor([[0], [5]], device=d)),
    "scatter": lambda d: ft.zeros(2, 3, device=d).scatter(1, ft.tensor([[0], [5]], device=d), 1.0),
    "scatter_add_": lambda d: ft.zeros(2, 3, device=d).scatter_add_(
        1, ft.tensor([[0], [5]], device=d), ft.ones(2, 1, device=d)
    ),
    "setitem": lambda d: ft.zeros(3, device=d).__setitem__(ints(3, device=d), 1.0),
    "put_": lambda d: ft.zeros(3, device=d).put_(ints(3, device=d), ft.ones(1, device=d)),
    "index_add_": lambda d: ft.zeros(3, device=d).index_add_(0, ints(4, device=d), ft.ones(1, device=d)),
    "embedding": lambda d: F.embedding(ft.tensor([[0, 9]], device=d), ft.ones(4, 2, device=d)),
    "nll_loss": lambda d: F.nll_loss(ft.zeros(2, 3, device=d), ints(0, 3, device=d)),
    "cross_entropy": lambda d: F.cross_entropy(ft.zeros(2, 3, device=d), ints(-1, 2, device=d)),
    "floor_divide": lambda d: ints(4, device=d) // ints(0, device=d),
    "remainder": lambda d: ft.remainder(ints(4, device=d), ints(0, device=d)),
}

# Each fails by a requirement; the CPU reads the element, a device's message has none.
BY_REQUIREMENT = {
    "bernoulli": lambda d: ft.bernoulli(ft.tensor([0.5, 2.0], device=d)),
    "multinomial": lambda d: ft.tensor([0.5, -1.0], device=d).multinomial(1),
    "multinomial of none": lambda d: ft.zeros(2, 3, device=d).multinomial(1),
    "normal": lambda d: ft.normal(ft.zeros(2, device=d), ft.tensor([1.0, -1.0], device=d)),
    "poisson": lambda d: ft.poisson(ft.tensor([1.0, -1.0], device=d)),
    "quantile": lambda d: ft.quantile(ft.ones(3, device=d), ft.tensor([1.5], device=d)),
    "binary_cross_entropy": lambda d: F.binary_cross_entropy(ft.tensor([1.5], device=d), ft.ones(1, device=d)),
    "gaussian_nll_loss": lambda d: F.gaussian_nll_loss(*ft.ones(2, 3, device=d), -ft.ones(3, device=d)),
    "multi_margin_loss": lambda d: F.multi_margin_loss(ft.ones(1, 3, device=d), ints(3, device=d)),
    "multilabel_margin_loss": lambda d: F.multilabel_margin_loss(ft.ones(3, device=d), ints(0, 5, 1, device=d)),
    "getitem of two": lambda d: ft.ones(3, 4, device=d)[ints(0, 1, device=d), ints(1, -9, device=d)],
    "take of repeats": lambda d: ft.ones(1, device=d).expand(3).take(ints(4, device=d)),
    "lu_unpack": lambda d: ft.lu_unpack(ft.eye(2, device=d), ft.tensor([3, 2], dtype=ft.int32, device=d)),
}


def failing(calls, name, device):
    backend = fake()
    backend.run()
    backend.failed.clear()
    with pytest.raises(Exception) as caught:
        calls[name](device)
        backend.synchronize()
    backend.run()
    backend.failed.clear()
    return caught.value


@pytest.mark.parametrize("name", BY_STATUS)
def test_a_device_raises_the_error_of_the_cpu_later(name):
    here, there = (failing(BY_STATUS, name, device) for device in ("cpu", "fake"))
    assert type(there) is type(here)
    text, _, where = str(there).partition("; called at ")
    assert text == str(here)
    assert re.fullmatch(rf"{re.escape(__file__)}:\d+ \(<lambda>\)", where)


@pytest.mark.parametrize("name", BY_REQUIREMENT)
def test_a_device_reports_unmet_requirements_without_elements(name):
    here, there = (failing(BY_REQUIREMENT, name, device) for device in ("cpu", "fake"))
    assert type(there) is type(here)
    text, _, where = str(there).partition("; called at ")
    assert __file__ in where
    assert text.split(":")[0] == str(here).split(":")[0]
    expected = [re.search(r"expected[^;]*", words)[0].replace(" and target", "") for words in (text, str(here))]
    assert expected[0] == expected[1]


def test_results_have_shapes_meanwhile_and_later_work_is_done():
    x = ft.arange(5, device="fake")
    taken = x[ints(1, 7, device="fake")]
    after = x + 1
    assert taken.shape == (2,)
    with pytest.raises(IndexError):
        taken.tolist()
    assert after.tolist() == [1, 2, 3, 4, 5]


WAITS = {
    "item": lambda x: x[0].item(),
    "bool": lambda x: bool(x[0]),
    "tolist": lambda x: x.tolist(),
    "cpu": lambda x: x.cpu(),
    "to": lambda x: x.to("cpu", ft.float64),
    "copy_": lambda x: ft.zeros(3).copy_(x),
    "repr": repr,
    "numpy": lambda x: x.numpy(force=True),
    "isfinite": lambda x: x.isfinite().all().item(),
}


@pytest.mark.parametrize("name", WAITS)
@pytest.mark.parametrize("device", ["fake", "plain"])
def test_the_call_that_waits_does_not_give_its_name(name, device):
    fake().run()
    fake().failed.clear()
    ft.ones(2, device=device).gather(0, ints(2, device=device))  # fails
    with pytest.raises(IndexError) as caught:
        WAITS[name](ft.ones(3, device=device))
    assert str(caught.value).startswith("gather: index[0] = 2 is out of range")
    WAITS[name](ft.ones(3, device=device))  # once


def test_a_pending_launch_refers_to_no_tensor_and_no_frame():
    pending = PendingLaunch("gather", [ft.ones(2)._layout], sys._getframe())
    found, new = [pending], [pending]
    for _ in range(3):
        new = [one for one in get_referents(*new) if type(one) not in (type, dict) and one not in found]
        found += new
    assert not [one for one in found if isinstance(one, ft.Tensor) or type(one) is type(sys._getframe())]


def test_the_announced_error_replaces_that_of_requirements_alone():
    layouts = [ft.ones(2, dtype=ft.int64)._layout]
    with refusing(ValueError("outer")):
        with refusing(ValueError("inner")):
            inner = PendingLaunch("within", layouts)
        outer = PendingLaunch("within", layouts)
    later = PendingLaunch("within", layouts)
    assert [str(one.error(8)).partition(";")[0] for one in (inner, outer)] == ["inner", "outer"]
    assert "domain" in str(later.error(8)) and "index 3" in str(inner.error(1, 3, 0, 2))
    assert inner.error(8) is not inner.error(8) and inner.error(8).launched


def test_a_device_has_words_for_its_own_statuses(monkeypatch):
    layouts = [None, ft.ones(2, device="fake")._layout]
    assert "status 77: 1, 2, 3" in str(launch_error("add", LaunchError(77, 1, 2, 3, 4), layouts))
    monkeypatch.setattr(type(fake()), "status_message", lambda self, *all: f"heard {all}", raising=False)
    assert str(launch_error("add", LaunchError(77, 1, 2, 3, 4), layouts)) == "add: heard (77, 1, 2, 3, 4)"
    assert "status 77" in str(launch_error("add", LaunchError(77, 1, 2, 3, 4), [ft.ones(2)._layout]))
