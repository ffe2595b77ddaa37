"""Objects of every public class: save writes a file that both libraries read, or raises before it writes."""

import importlib
import inspect
import io
import pickle
import pkgutil
import zipfile

import numpy as np
import pytest
from file_helpers import again, globals_of
from library_objects import described, made_objects, with_note

import facula
from facula_checkpoint import CheckpointError
from facula_errors.testing import raises
from facula_tensor.extend.sampling import state_pair

KEPT, REFUSED = made_objects(facula)


@pytest.mark.parametrize("name", KEPT)
def test_objects_round_trip(name):
    value = KEPT[name]()
    found = again([value, value])
    assert type(found[0]) is type(value) and found[0] is found[1]
    assert described(found[0]) == described(value)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", KEPT)
def test_user_attributes_and_subclasses_round_trip(name, own):
    value = with_note(made_objects(facula)[0][name](), own)
    if value is not None:
        with facula.serialization.safe_globals([type(value)] if own else []):
            found = again(value)
        assert type(found) is type(value) and found.note == "kept"
        assert described(found) == described(value)


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_objects_are_not_saved(name, tmp_path):
    with raises(TypeError, "save", "expected what load and PyTorch's load can read", "save"):
        facula.save([1, REFUSED[name]()], tmp_path / "a.pt")
    assert not list(tmp_path.iterdir())


def test_unsupported_objects_are_not_loaded():
    """Check PyTorch's files, which may contain them as attributes or as a call of the class."""
    name = b"\x80\x02ctorch.utils.data.dataset\nDataset\n)"
    for pickled in (name + b"\x81}b.", name + b"R."):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("archive/data.pkl", pickled)
        file.seek(0)
        with raises(CheckpointError, "<BytesIO>", "an object of Dataset, which is not loaded", "save its state_dict"):
            facula.load(file)


def test_an_inverse_transform_round_trips():
    """Check this because PyTorch's files omit its transform: `Lost`."""
    inverse = facula.distributions.transforms.ExpTransform().inv
    assert again(inverse) == inverse and again([inverse, inverse.inv])[0].inv == inverse.inv
    vars(inverse)["_of"] = None
    lost = again(inverse)
    with raises(NotImplementedError, "Transform.inv", "PyTorch's file has an inverse without its transform"):
        lost(facula.ones(1))


def test_samplers_keep_their_seed_and_epoch():
    for generator in (7, facula.Generator().manual_seed(7), np.random.default_rng(7), None):
        for sampler in (
            facula.utils.data.RandomSampler(range(9), generator=generator),
            facula.utils.data.SubsetRandomSampler(range(9), generator=generator),
            facula.utils.data.WeightedRandomSampler(range(9), 9, generator=generator),
        ):
            first = list(sampler)
            found = again(sampler)
            assert list(found) == list(sampler) and list(again(found).order(0)) == first


def test_loaders_continue_with_the_next_epoch():
    """Check that the copy does not continue a started pass, like the next `iter` of the loader."""
    loader = facula.utils.data.DataLoader(range(9), batch_size=2, shuffle=True, generator=3, on_error="skip")
    epochs = [[batch.tolist() for batch in loader] for _ in range(2)]
    copies = [facula.utils.data.DataLoader(range(9), batch_size=2, shuffle=True, generator=3)]
    next(iter(copies[0]))
    copies = [again(copies[0]), again(facula.utils.data.DataLoader(range(9), 2, True, generator=3))]
    assert [batch.tolist() for batch in copies[0]] == epochs[1]
    assert [batch.tolist() for batch in copies[1]] == epochs[0]
    pair = [facula.utils.data.DataLoader(range(9), 2, True, generator=np.random.default_rng(7)) for _ in range(2)]
    copy = again(pair[0])  # copying does not change the next seed
    assert all(batches[0].tolist() == batches[1].tolist() for batches in zip(copy, pair[1], strict=True))
    third = again(loader)
    assert third.on_error == "skip" and third.state_dict() == loader.state_dict() == {**third.state_dict(), "epoch": 2}


def doubled(array):
    return facula.from_numpy(array) * 2


def test_loader_options_that_pytorch_lacks_round_trip():
    given = {"meter": True, "seed_globals": True, "on_error": "substitute", "convert": doubled}
    with facula.serialization.safe_globals([doubled]):
        found = again(facula.utils.data.DataLoader(range(4), batch_size=4, **given))
    assert found.meter is not None and found.seed_globals and found.on_error == "substitute"
    assert next(iter(found)).tolist() == [0, 2, 4, 6]
    shard = facula.utils.data.DataLoader(range(4), shard=(1, 2))
    found = again(shard)
    assert [batch.tolist() for batch in found] == [batch.tolist() for batch in shard] == [[1], [3]]
    assert "facula.utils.data DataLoader" in globals_of(shard)


def test_a_gradient_scaler_between_step_and_update_is_refused():
    scaler, weight = facula.amp.GradScaler("cpu"), facula.ones(1, requires_grad=True)
    optimizer = facula.optim.SGD([weight], lr=1.0)
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    with raises(RuntimeError, "save", "a GradScaler is between step() and update()", "call update"):
        again(scaler)
    with raises(RuntimeError, "GradScaler", "it is between step() and update()", "call update"):
        pickle.dumps(scaler)
    scaler.update()
    assert again(scaler).state_dict() == scaler.state_dict()
    found = pickle.loads(pickle.dumps(scaler))
    assert found.state_dict() == scaler.state_dict()
    found.scale(weight.sum()).backward()
    found.step(optimizer)
    found.update()


def test_generators_keep_their_state():
    for device in ("cpu", "meta"):
        generator = facula.Generator(device).manual_seed(5)
        assert state_pair(again(generator)) == (5, 0)
        if device == "cpu":
            facula.rand(3, generator=generator)
        assert state_pair(again([generator])[0]) == state_pair(generator)


def test_sobol_engines_keep_their_position():
    pytest.importorskip("scipy")
    for engine in (facula.quasirandom.SobolEngine(3), facula.quasirandom.SobolEngine(3, True, 1)):
        for count in (0, 1, 4):
            engine.draw(count)
            found = again(engine)
            assert repr(found) == repr(engine) and found.num_generated == engine.num_generated
            assert found.draw(5).tolist() == again(engine).draw(5).tolist() == engine.draw(5).tolist()
            assert found.reset().draw(3).tolist() == engine.reset().draw(3).tolist()


def public_classes():
    found = {}
    for one in pkgutil.walk_packages(facula.__path__, "facula."):
        parts = one.name.split(".")
        if any(part.startswith("_") for part in parts) or {"examples", "as_torch"} & set(parts):  # importing it acts
            continue
        try:
            module = importlib.import_module(one.name)
        except ImportError:
            continue
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name, None)
            if inspect.isclass(value) and value.__module__.startswith("facula"):
                found[value] = f"{one.name}.{name}"
    return found


def test_all_public_classes_round_trip_or_are_refused():
    """Check each class, and an instance of each that accepts no arguments or small numbers."""
    outcomes, wrong = {"same": 0, "refused": 0}, []
    for kind, name in public_classes().items():
        values = [kind]
        for arguments in () if hasattr(kind, "__enter__") else ((), (2,), (2, 2), (2, 2, 1)):  # may enable a mode
            try:
                values.append(kind(*arguments))
                break
            except Exception:
                continue
        for value in values:
            if isinstance(value, tuple) and not value:  # a result without its fields
                continue
            try:
                found = again(value)
            except CheckpointError as error:
                wrong.append(f"{name} is saved, and then {error}")
                continue
            except (TypeError, NotImplementedError):
                outcomes["refused"] += 1
                continue
            outcomes["same"] += 1
            if found is not value and described(found) != described(value):
                wrong.append(f"{name} is {described(found)}, and was {described(value)}")
    assert not wrong
    assert outcomes["same"] > 300 and outcomes["refused"] > 100, outcomes
