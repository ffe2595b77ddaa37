"""Classes and functions that a program allows `load` to construct from a file."""

import io
import math
import pickle
import zipfile
from collections import UserDict

import hooked_modules
import pytest
from file_helpers import again, globals_of

import facula
import facula.nn as nn
from facula_checkpoint import CheckpointError
from facula_errors.testing import raises


def archived(content):
    """Return a PyTorch file with this pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", content)
    file.seek(0)
    return file


class Net(nn.Module):
    """A program's module with custom state methods."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.register_buffer("seen", facula.zeros(1), persistent=False)
        self.note = {"a": (1, 2)}

    def __setstate__(self, state):
        super().__setstate__(state)
        self.restored = True


class Options:
    def __init__(self, a):
        self.a = a

    def __eq__(self, other):
        return type(other) is Options and self.a == other.a

    __hash__ = None


class Labels(dict):
    pass


class Slotted:
    __slots__ = ("a",)


class Keywords:
    """A class whose arguments are keyword-only."""

    def __new__(cls, *, width):
        made = super().__new__(cls)
        made.width = width
        return made

    def __getnewargs_ex__(self):
        return (), {"width": self.width}

    class Inner(Options):
        class Further(Options):
            pass


LINES = {
    "an instance": (Options(3), 1),
    "keywords": (Keywords(width=3), 1),
    "a class in a class": ([Keywords.Inner(1), Keywords.Inner], 1),
    "a class in that": ([Keywords.Inner.Further(1)], 1),
    "a class with one in it": ([Keywords.Inner(1), Keywords, Keywords(width=2)], 2),
    "a class of Python's": (UserDict({1: 2}), 1),
    "functions": (math.hypot, 1),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("clear", [facula.serialization.clear_safe_globals])
def test_the_suggested_line_makes_the_file_load(name, clear, request):
    """Check that running it, once for each class and without other imports, suffices."""
    request.addfinalizer(clear)
    value, count = LINES[name]
    for _ in range(count):
        with raises(CheckpointError, "<BytesIO>", "where you trust the file, write before: import facula") as caught:
            again(value)
        exec(str(caught.value).partition("write before: ")[2], {})
    assert repr(again(value)).partition(" object at ")[0] == repr(value).partition(" object at ")[0]


def test_names_of_python_2_are_mapped():
    """Check `__builtin__.intern`, which is in another module in Python 3."""
    named = [(Options, f"{Options.__module__}.Options")]
    old = pickle.dumps([Options(1)], 2).replace(Options.__module__.encode() + b"\nOptions", b"__builtin__\nintern")
    with raises(CheckpointError, "<BytesIO>", "uses 'sys.intern'", "import facula, sys", "([sys.intern])"):
        facula.load(archived(old))
    for name in ("sys.intern", "__builtin__.intern"):
        with facula.serialization.safe_globals([(Options, name)]):
            assert facula.load(archived(old)) == [Options(1)]
    with facula.serialization.safe_globals(named), raises(CheckpointError, "<BytesIO>", "uses '__builtin__.intern'"):
        facula.load(archived(old), fix_imports=False)


def test_strings_of_python_2_are_decoded():
    content = archived(b"\x80\x02U\x02a\xe4.")
    for how, expected in (
        ({"encoding": "latin1"}, "aä"),
        ({"errors": "replace"}, "a\ufffd"),
        ({"encoding": "ascii", "errors": "ignore"}, "a"),
        ({"encoding": "bytes"}, b"a\xe4"),
    ):
        content.seek(0)
        assert facula.load(content, **how) == expected
    with raises(ValueError, "load", "expected errors as 'strict' or 'replace'", value="'none'"):
        facula.load(content, errors="none")


def test_allowed_classes_round_trip():
    kept = [Net(), Options(3), Labels(x=1), Slotted()]
    kept[3].a = 5
    with raises(CheckpointError, "<BytesIO>", f"facula.serialization.add_safe_globals([{Net.__module__}.Net])"):
        again(kept)
    with facula.serialization.safe_globals([Net, Options, Labels, Slotted]):
        net, options, labels, slotted = again(kept)
    assert net.restored and net.note == {"a": (1, 2)} and list(net.state_dict()) == ["layer.weight", "layer.bias"]
    assert net.layer.weight.tolist() == kept[0].layer.weight.tolist() and net.seen.tolist() == [0.0]
    assert options == kept[1] and type(labels) is Labels and labels == {"x": 1} and slotted.a == 5
    with raises(CheckpointError, "<BytesIO>", "add_safe_globals"):
        again(kept)


class Careful(nn.Module):
    """A module with one of its methods as a hook."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1)
        self.layer.register_forward_hook(self.note)
        self.notes = []

    def forward(self, x):
        return self.layer(x)

    def note(self, module, args, output):
        self.notes.append(type(module).__name__)


def test_module_hooks_round_trip():
    module = hooked_modules.hooked(facula)
    expected = hooked_modules.ran(facula, module)
    assert len(set(expected[3])) == 12
    with raises(CheckpointError, "<BytesIO>", "add_safe_globals([hooked_modules. ... ])"):
        again(module)
    with facula.serialization.safe_globals(hooked_modules.HOOKS):
        assert hooked_modules.ran(facula, again(module)) == expected
    handle = module.register_forward_hook(lambda *given: None)
    with raises(TypeError, "save", "something cannot be pickled", "lambda"):
        again(module)
    handle.remove()
    bare = nn.Linear(2, 2)
    bare.register_forward_hook(hooked_modules.doubled).remove()
    assert not again(bare)._forward_hooks


def test_hook_handles_round_trip():
    """Check handles that a module keeps, and handles saved before and after it."""
    expected = hooked_modules.removed(facula, hooked_modules.handled(facula))
    later = ["forward", "backward", "state dict"]
    assert expected == [["forward pre", *later], later, later[:2], later[:1], later[:1]]
    module = hooked_modules.handled(facula)
    gone = nn.Linear(1, 1).register_forward_hook(hooked_modules.doubled)
    handle = module.handles["state"]
    with facula.serialization.safe_globals(hooked_modules.HOOKS):
        found, other, alone = again([handle, module, gone])
        assert found is other.handles["state"]
        assert hooked_modules.removed(facula, other) == expected
        alone.remove()
        assert again(handle).hooks_dict_ref() is None and again(type(handle)) is type(handle)
    with raises(TypeError, "save", "save its module", value="a handle of a hook that is called before loading"):
        again(module.register_load_state_dict_pre_hook(hooked_modules.cleaned))
    for state in ((1, 2), (None, "a", ()), 3):
        content = pickle.dumps(state, 2)[2:-1]
        with raises(CheckpointError, "<BytesIO>", "its pickle has ... a handle"):
            facula.load(archived(b"\x80\x02ctorch.utils.hooks\nRemovableHandle\n)\x81" + content + b"b."))


def test_methods_as_hooks_round_trip():
    module = Careful()
    with raises(CheckpointError, "<BytesIO>", "add_safe_globals([", "Careful])"):
        again(module)
    with facula.serialization.safe_globals([Careful]):
        found = again(module)
    found(facula.ones(1))
    assert found.notes == ["Linear"] and not module.notes
    with raises(TypeError, "save", "save the object", value="the method Module.eval of an object"):
        again(module.layer.eval)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"_forward_hooks": {1: 3}}, "int among the _forward_hooks of a module"),
        ({"_forward_hooks": [1]}, "a list for _forward_hooks"),
        ({"_backward_hooks": {1: int}, "_is_full_backward_hook": False}, "with hooks of register_backward_hook"),
    ],
)
def test_invalid_hooks_are_refused(tables, message):
    state = pickle.dumps({"training": True, "_parameters": {}, "_buffers": {}, "_modules": {}, **tables}, 2)
    with raises(CheckpointError, "<BytesIO>", message):
        facula.load(archived(b"\x80\x02ctorch.nn.modules.linear\nLinear\n)\x81" + state[2:-1] + b"b."))


class Chi2(facula.distributions.Chi2):
    """Subclass of a library class that defines its own pickling in addition to that of its bases."""

    def __getstate__(self):
        return {**vars(self), "more": 1}

    def __setstate__(self, state):
        vars(self).update(state, restored="_batch_shape" in state)


class Beta(facula.distributions.Beta):
    def __getstate__(self):
        return {"size": 2}

    def __setstate__(self, state):
        self.__init__(facula.ones(state["size"]), facula.ones(2))


class Scaler(facula.amp.GradScaler):
    def __getstate__(self):
        return {**super().__getstate__(), "more": 1}


class Indices(facula.utils.data.SubsetRandomSampler):
    __slots__ = ("more",)


class Cycle(facula.optim.lr_scheduler.CyclicLR):
    pass


def test_classes_with_custom_state_round_trip():
    indices, weight = Indices([2, 1]), nn.Parameter(facula.ones(1))
    indices.more = 1
    values = [Chi2(facula.ones(2)), Beta(facula.ones(2), facula.ones(2)), Scaler("cpu", 8.0), indices]
    values.append(Cycle(facula.optim.SGD([weight], lr=0.1), 0.1, 1.0))
    with facula.serialization.safe_globals([Chi2, Beta, Scaler, Indices, Cycle]):
        chi2, beta, scaler, found, cycle = again(values)
        with raises(CheckpointError, "<BytesIO>", "a Beta without a state"):
            facula.load(archived(f"\x80\x02c{__name__}\nBeta\n)\x81.".encode("latin1")))
    assert chi2.restored and chi2.more == 1 and chi2.df.tolist() == [1.0, 1.0]
    assert beta.mean.tolist() == [0.5, 0.5] and scaler.get_scale() == 8.0 and scaler.more == 1
    assert sorted(found) == [1, 2] and found.more == 1 and cycle.get_last_lr() == values[4].get_last_lr()
    with raises(TypeError, "save", "an object of Unfinished is no Beta that can be saved", "concentration1"):
        again(Unfinished.__new__(Unfinished))
    with raises(TypeError, "save", "save a DataLoader", value="an object of Shards which PyTorch has not the like of"):
        again(Shards(range(4), shard=(0, 2)))


class Unfinished(facula.distributions.Beta):
    pass


class Shards(facula.utils.data.DataLoader):
    pass


def test_unsafe_globals_are_listed(tmp_path):
    facula.save([Options(1), facula.ones(2), nn.Linear(2, 2)], tmp_path / "a.pt")
    unsafe = facula.serialization.get_unsafe_globals_in_checkpoint
    name = f"{Options.__module__}.Options"
    assert unsafe(tmp_path / "a.pt") == unsafe(io.BytesIO((tmp_path / "a.pt").read_bytes())) == [name]
    with facula.serialization.safe_globals([Options]):
        assert unsafe(tmp_path / "a.pt") == []
    with raises(CheckpointError, ".../test_safe_globals.py", "neither a zip archive nor a pickle"):
        unsafe(__file__)


def test_a_class_is_allowed_under_another_name():
    old = globals_of(Options(1)) - {"copy_reg _reconstructor"}
    (name,) = [one.replace(" ", ".") for one in old if "Options" in one]

    class Renamed(Options):
        pass

    with facula.serialization.safe_globals([(Renamed, name)]):
        assert type(again(Options(3))) is Renamed
    with raises(TypeError, "add_safe_globals", "expected classes, functions and pairs", value=3):
        facula.serialization.add_safe_globals([3])
