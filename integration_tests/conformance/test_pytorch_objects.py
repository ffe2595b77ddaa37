"""Objects of the libraries' classes in PyTorch's files, both ways: each equals an object of the other library."""

import pathlib
import runpy
import sys

import pytest
import torch
import torch.nn.utils.prune
from exchange import library_of, saved

import facula
from facula_errors.testing import raises

TESTS = pathlib.Path(__file__).parents[2] / "packages" / "facula" / "tests"  # they have no counterpart in PyTorch


def table_of_objects():
    """Return the table of facula's own tests."""
    return runpy.run_path(str(TESTS / "library_objects.py"))


@pytest.mark.parametrize("name", table_of_objects()["made_objects"](facula)[0])
def test_objects_of_library_classes(name, across):
    """Check that datasets, distributions, named results and others equal objects that the other library creates."""
    table = table_of_objects()
    ours, theirs = (table["made_objects"](library)[0][name]() for library in (facula, torch))
    for value, expected in ((ours, theirs), (theirs, ours)):
        found = across(value, value is theirs)
        assert type(found) is type(expected)
        assert table["described"](found) == table["described"](expected)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", table_of_objects()["made_objects"](facula)[0])
def test_attributes_and_classes_of_the_program(name, own):
    table = table_of_objects()
    for source, other in ((torch, facula), (facula, torch)):
        expected = table["with_note"](table["made_objects"](other)[0][name](), own)
        value = table["with_note"](table["made_objects"](source)[0][name](), own)
        if value is None or expected is None:
            continue
        file = saved(source, value)
        if own:
            setattr(table["OWN_CLASSES"], type(expected).__name__, type(expected))
        with facula.serialization.safe_globals([type(expected)] if own else []):
            found = other.load(file, weights_only=False)
        assert type(found) is type(expected)
        assert table["described"](found) == table["described"](expected)


def used(value):
    """Return results of a distribution or transform, some of which PyTorch caches in attributes."""
    if isinstance(value, (list, tuple)):
        return [used(one) for one in value]
    given, module = [], torch if type(value).__module__.startswith("torch") else facula
    names = ("mean", "variance", "sign", "bijective", "event_dim", "length", "covariance_matrix", "precision_matrix")
    point = module.full(getattr(value, "event_shape", ()) or (2,), 0.25)
    for work in (
        *[lambda name=name: getattr(value, name) for name in names],
        *[lambda name=name: getattr(value, name)(point) for name in ("log_prob", "cdf", "icdf")],
        lambda: value.sample().shape,
        lambda: value(point),
    ):
        try:
            found = work()
        except Exception:
            continue
        given.append(found.flatten().tolist() if hasattr(found, "tolist") else found)
    return given


@pytest.mark.parametrize("name", [one for one in table_of_objects()["made_objects"](facula)[0] if one[0].isupper()])
def test_what_pytorch_keeps_once_it_is_computed(name, across):
    value, own = (table_of_objects()["made_objects"](library)[0][name]() for library in (torch, facula))
    if type(value).__module__.startswith("torch.distributions"):
        for part in (value, *getattr(value, "transforms", ())):
            used(part)
        for ours, expected in zip(used(across(value, True)), used(own), strict=True):
            assert ours == pytest.approx(expected, rel=1e-4, abs=1e-5, nan_ok=True)


def test_inverses_of_transforms(across):
    """Check inverses, such as a Gumbel's: PyTorch omits the transform from its files and cannot use them itself."""
    found = across(facula.distributions.transforms.ExpTransform().inv, False)
    assert found(torch.ones(2)).tolist() == [0.0, 0.0]
    for value in (torch.distributions.Gumbel(0.0, 2.0), facula.distributions.Gumbel(0.0, 2.0)):
        found = across(value, library_of(value.sample()) is torch)
        assert found.log_prob(found.sample()).shape == () and found.mean.item() == pytest.approx(value.mean.item())
    lost = across(torch.distributions.transforms.ExpTransform().inv, True)
    with raises(NotImplementedError, "Transform.inv", "without its transform, which PyTorch cannot use either"):
        lost(facula.ones(2))


def batches(loader):
    return [[part.tolist() for part in batch] for batch in loader]


def loaders(library):
    """Return loaders with the batches of a pass, sorted if the order is random."""
    data, threes = library.utils.data, [[[0, 1], [0, 1]], [[2], [2]]]
    dataset = data.TensorDataset(library.arange(3), library.arange(3))
    yield data.DataLoader(dataset, 2), threes, False
    yield data.DataLoader(dataset, 2, num_workers=1), threes, False
    yield data.DataLoader(data.ChainDataset([]), 2), [], False
    yield data.DataLoader(dataset, batch_sampler=data.BatchSampler([2, 0], 1, False)), [[[2], [2]], [[0], [0]]], False
    ones = [[[0], [0]], [[1], [1]], [[2], [2]]]
    yield data.DataLoader(dataset, shuffle=True), ones, True
    yield data.DataLoader(dataset, shuffle=True, generator=library.Generator().manual_seed(3)), ones, True
    yield data.DataLoader(dataset, sampler=data.SubsetRandomSampler([1, 2])), ones[1:], True
    yield data.DataLoader(dataset, sampler=data.WeightedRandomSampler([0.0, 0.0, 1.0], 2)), [ones[2]] * 2, True


def test_loaders_give_the_same_batches(across):
    for theirs, library in ((True, torch), (False, facula)):
        for loader, expected, shuffled in loaders(library):
            found = across(loader, theirs)
            assert type(found).__module__.startswith("facula" if theirs else "torch")
            for _ in range(2):
                given = batches(found)
                assert (sorted(given) if shuffled else given) == expected


def test_a_shard_is_for_facula_alone():
    file = saved(facula, facula.utils.data.DataLoader([1, 2], shard=(0, 2)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "facula.utils", None)
        patched.setitem(sys.modules, "facula.utils.data", None)
        with pytest.raises(ModuleNotFoundError, match="facula"):
            torch.load(file, weights_only=False)


def test_generators(across):
    """Check that equal states give equal numbers within each library, and other states other numbers."""
    for theirs, library, other in ((True, torch, facula), (False, facula, torch)):
        generator = library.Generator().manual_seed(2**40 + 5)
        fresh, drawn = across(generator, theirs), []
        assert fresh.initial_seed() == 2**40 + 5
        assert (
            other.rand(2, generator=fresh).tolist()
            == other.rand(2, generator=other.Generator().manual_seed(2**40 + 5)).tolist()
        )
        for _ in range(2):
            library.rand(3, generator=generator)
            drawn += [across(generator, theirs).initial_seed(), across([generator], theirs)[0].initial_seed()]
        assert drawn[0] == drawn[1] != drawn[2] == drawn[3] and 2**40 + 5 not in drawn


def test_sequences_of_sobol_go_on(across):
    pytest.importorskip("scipy")
    for theirs, library in ((True, torch), (False, facula)):
        for given in ((3,), (3, True, 1)):
            for count in (0, 1, 4):
                engine = library.quasirandom.SobolEngine(*given)
                if count:
                    engine.draw(count)
                found = across(engine, theirs)
                assert found.num_generated == count and found.draw(5).tolist() == engine.draw(5).tolist()
                assert found.reset().draw(2).tolist() == engine.reset().draw(2).tolist()


def scaled(scaler, weight, optimizer, value):
    """Make a step with a gradient scaler and return its scale."""
    optimizer.zero_grad()
    scaler.scale((weight * value).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return scaler.get_scale(), weight.tolist()


def test_gradient_scalers_go_on(across):
    for theirs, library, other in ((True, torch, facula), (False, facula, torch)):
        scaler = library.amp.GradScaler("cpu", init_scale=8.0, growth_interval=3)
        weight = library.ones(1, requires_grad=True)
        scaled(scaler, weight, library.optim.SGD([weight], lr=0.5), 1.0)
        found, weights = (
            across(scaler, theirs),
            (library.ones(1, requires_grad=True), other.ones(1, requires_grad=True)),
        )
        kept = [library.optim.SGD([weights[0]], lr=0.5), other.optim.SGD([weights[1]], lr=0.5)]
        for value in (1.0, 1.0, float("inf"), 1.0):
            assert scaled(found, weights[1], kept[1], value) == scaled(scaler, weights[0], kept[0], value)
        assert found.state_dict() == scaler.state_dict() and scaler.get_scale() == 8.0


def test_hooks_of_modules(across, monkeypatch):
    """Check that both libraries find hooks, which a file names by their module."""
    monkeypatch.syspath_prepend(TESTS)
    import hooked_modules

    for theirs, library, other in ((True, torch, facula), (False, facula, torch)):
        module = hooked_modules.hooked(library)
        with library.no_grad():
            for parameter in module.parameters():
                parameter.fill_(0.5)
        expected = hooked_modules.ran(library, module)
        with facula.serialization.safe_globals(hooked_modules.HOOKS):
            found = across(module, theirs)
        assert hooked_modules.ran(other, found) == expected
        found.register_forward_hook(hooked_modules.doubled)
        assert hooked_modules.ran(other, found)[0][0][0] == 2 * expected[0][0][0]


def test_handles_of_hooks(across, monkeypatch):
    monkeypatch.syspath_prepend(TESTS)
    import hooked_modules

    for theirs, library, other in ((True, torch, facula), (False, facula, torch)):
        module = hooked_modules.handled(library)
        with facula.serialization.safe_globals(hooked_modules.HOOKS):
            found = across(module, theirs)
        assert hooked_modules.removed(other, found) == hooked_modules.removed(library, module)


WEIGHTS = {  # hooks that compute a weight, and functions that remove them
    "weight_norm": (lambda u, m: u.weight_norm(m), lambda u, m: u.remove_weight_norm(m)),
    "spectral_norm": (lambda u, m: u.spectral_norm(m), lambda u, m: u.remove_spectral_norm(m)),
    "pruning": (lambda u, m: u.prune.l1_unstructured(m, "weight", 3), lambda u, m: u.prune.remove(m, "weight")),
}


def computed(module):
    return module(library_of(module).eye(3)).detach().numpy()


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_that_hooks_compute(name, across):
    make, remove = WEIGHTS[name]
    for theirs, library, other in ((True, torch, facula), (False, facula, torch)):
        module = make(library.nn.utils, library.nn.Linear(3, 2)).eval()
        found = across(module, theirs)
        assert computed(found) == pytest.approx(computed(module), rel=1e-4, abs=1e-6)
        for part in (*module.parameters(), *found.parameters()):
            part.data.add_(1.0)
        expected = pytest.approx(computed(module), rel=1e-4, abs=1e-6)
        assert computed(found) == expected
        found.load_state_dict(found.state_dict())
        remove(other.nn.utils, found)
        assert computed(found) == expected
        assert sorted(found.state_dict()) == ["bias", "weight"]
