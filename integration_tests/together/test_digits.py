"""The example that trains on digits, as a user runs it: saved files, reading of digits, error messages."""

import errno
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import facula
from facula.examples.digits.__main__ import main

PROGRAM = [sys.executable, "-m", "facula.examples.digits"]


def run(folder, *arguments, **variables):
    """Run the program in a separate folder, without a terminal."""
    env = {**os.environ, **variables}
    return subprocess.run([*PROGRAM, *arguments], cwd=folder, env=env, capture_output=True, text=True)


def ask(folder, monkeypatch, capsys, *arguments):
    """Run it in this process; return the exit status and the output."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["digits", *arguments])
    try:
        status = main()
    except SystemExit as stopped:
        status = stopped.code
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a folder with a network trained for two epochs, which recognizes most digits."""
    folder = tmp_path_factory.mktemp("trained")
    done = run(folder, "--epochs", "2")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^accuracy \d+\.\d %", done.stdout, re.MULTILINE)
    return folder


def test_what_it_keeps(trained):
    kept = facula.load(trained / "digits.safetensors")
    assert kept["epochs"] == 2 and kept["accuracy"] > 0.9
    assert kept["network"]["features.0.weight"].shape == (16, 1, 3, 3)
    assert (trained / "digits.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(os.listdir(trained)) == ["digits.png", "digits.safetensors"]


def test_the_same_seed_gives_the_same_numbers_with_any_number_of_threads(trained, tmp_path):
    done = run(tmp_path, "--epochs", "2", "--picture", "other.png", FACULA_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    again, before = (folder / "digits.safetensors" for folder in (tmp_path, trained))
    assert again.read_bytes() == before.read_bytes()


def test_a_digit_of_the_data_set_is_read(trained):
    done = run(trained, "--read", "18")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("digit 18 of the data set, an 8, held out of training:")
    assert len(re.findall(r"^\d +\d+\.\d %", done.stdout, re.MULTILINE)) == 10
    assert done.stdout.endswith("read as 8\n"), done.stdout


@pytest.mark.parametrize("kind", ["grey", "colour", "transparent"])
def test_a_digit_is_read_from_an_image_as_from_the_data_set(trained, tmp_path, monkeypatch, capsys, kind):
    """Check dark ink on bright paper, enlarged and off centre, in each kind of PNG."""
    from matplotlib.image import imsave
    from sklearn.datasets import load_digits

    digit = load_digits().images[18].repeat(12, 0).repeat(12, 1) / 16.0
    ink = np.pad(digit, ((40, 10), (5, 90)))
    paper = np.ones((*ink.shape, 4))
    if kind == "transparent":
        paper[..., :3] = 0.0
        paper[..., 3] = ink
    elif kind == "colour":
        paper[..., :3] = 0.9 - 0.8 * ink[..., None] * (0.3, 1.0, 0.6)
    else:
        paper[..., :3] = 1.0 - ink[..., None]
    imsave(tmp_path / "digit.png", paper)
    status, out, err = ask(trained, monkeypatch, capsys, "--read", str(tmp_path / "digit.png"))
    assert not status, err
    assert out.endswith("read as 8\n"), out


def test_what_is_no_digit_is_read_with_a_warning(trained, tmp_path, monkeypatch, capsys):
    from matplotlib.image import imsave

    imsave(tmp_path / "noise.png", np.random.default_rng(0).random((64, 64)), cmap="gray")
    status, out, err = ask(trained, monkeypatch, capsys, "--read", str(tmp_path / "noise.png"))
    assert not status, err
    assert "careful: this is like none of the digits that it learnt from, and may be no digit\nread as" in out
    assert "careful: this" not in ask(trained, monkeypatch, capsys, "--read", "18")[1]


def test_a_network_that_knows_nothing_is_not_sure():
    from facula.examples.digits import data, reading
    from facula.examples.digits.network import Network

    facula.manual_seed(0)
    image = data.load().everything[18][0][0]
    assert "careful: the network is not sure\nread as" in reading.report(Network().eval(), image)


def test_a_reader_that_has_seen_enough_is_no_mistake(trained):
    reading = subprocess.Popen(
        [*PROGRAM, "--read", "18"], cwd=trained, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    reading.stdout.close()
    assert reading.stderr.read() == "" and reading.wait() == 0
    reading.stderr.close()


def test_ctrl_c_while_the_picture_is_drawn(tmp_path, monkeypatch, capsys):
    from matplotlib.figure import Figure

    def interrupted(figure, file, **options):
        file.write(b"half of")
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Figure, "savefig", interrupted)
    monkeypatch.setattr(sys, "argv", ["digits", "--epochs", "1"])
    (tmp_path / "digits.png").write_bytes(b"before")
    assert main() == 130
    said = capsys.readouterr().out
    assert "for 1 epoch in" in said
    assert "digits.safetensors holds the network, and digits.png is as it was before" in said
    assert sorted(os.listdir(tmp_path)) == ["digits.png", "digits.safetensors"]
    assert (tmp_path / "digits.png").read_bytes() == b"before"
    assert facula.load("digits.safetensors")["epochs"] == 1


def test_a_full_disk_while_the_picture_is_drawn(tmp_path, monkeypatch, capsys):
    from facula.examples.digits import plotting

    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plotting, "replace", full)
    monkeypatch.setattr(sys, "argv", ["digits", "--epochs", "1"])
    assert main() == 1
    said = capsys.readouterr()
    assert "digits.png: not drawn: [Errno 28] No space left on device" in said.err
    assert "read a digit with it" in said.out and "digits.safetensors" in said.out


def test_the_package_lists_its_programs():
    command = [sys.executable, "-m", "facula.examples"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "python -m facula.examples.NAME" in text and "digits    Train a small convolutional network" in text


def test_ctrl_c_before_anything_is_done(monkeypatch, capsys):
    from facula.examples.digits import __main__

    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(__main__, "options", interrupted)
    assert __main__.main() == 130
    assert capsys.readouterr().err == "facula.examples.digits: stopped\n"


def test_ctrl_c_keeps_the_network(tmp_path):
    program = subprocess.Popen(
        [*PROGRAM, "--epochs", "100000"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # background jobs ignore it
    )
    deadline = time.monotonic() + 600
    while not (tmp_path / "digits.safetensors").exists():
        assert time.monotonic() < deadline and program.poll() is None
        time.sleep(0.05)
    program.send_signal(signal.SIGINT)
    stdout, stderr = program.communicate(timeout=600)
    assert program.returncode == 130, stderr
    assert "digits.safetensors holds the network as it is" in stdout
    assert "Traceback" not in stderr
    assert os.listdir(tmp_path) == ["digits.safetensors"]
    assert run(tmp_path, "--read", "17").returncode == 0


def test_a_kill_leaves_the_last_epoch(tmp_path):
    program = subprocess.Popen([*PROGRAM, "--epochs", "100000"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    while not (tmp_path / "digits.safetensors").exists():
        assert program.poll() is None
        time.sleep(0.05)
    program.kill()
    program.wait()
    assert facula.load(tmp_path / "digits.safetensors")["epochs"] >= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--epochs", "0"], "argument --epochs: expected a whole number from 1 to 2**63 - 1; got '0'"),
        (["--rate", "nan"], "argument --rate: expected a finite number of at least 0; got 'nan'"),
        (["--rate", "inf"], "argument --rate: expected a finite number of at least 0; got 'inf'"),
        (["--seed", str(2**63)], "argument --seed: expected a whole number from 0 to 2**63 - 1; got '92233"),
        (["--checkpoint", "nowhere/x"], "--checkpoint: expected a path in a folder that is there; got 'nowhere/x'"),
        (["--picture", "."], "--picture: expected a path for a file; got the folder '.'"),
        (["--read", "17", "--checkpoint", "missing"], "there is no checkpoint missing; train first: "),
        (["--read", "1797"], "--read: expected a number from 0 to 1796, or an image file; got 1797"),
        (["--read", "-1"], "--read: expected a number from 0 to 1796, or an image file; got -1"),
        (["--read", "missing.png"], "No such file or directory: 'missing.png'"),
        (["--read", "blank.png"], "blank.png: shows no digit; expected ink and paper"),
        (["--read", "digits.safetensors"], "digits.safetensors"),
        (["--read", "17", "--checkpoint", "foreign"], "foreign: holds no network of this program"),
        (["--read", "17", "--checkpoint", "other"], "other: holds no network of this program"),
        (["--read", "17", "--checkpoint", "nan"], "nan: features.0.weight holds numbers that are not finite"),
        (["--read", "²"], "²"),
        (["--read", "cut.png"], "cut.png: cannot be read as an image: "),
        (["--rate", "1e30", "--epochs", "1", "--checkpoint", "new"], "went astray: after "),
        (
            ["--read", "17", "--checkpoint", "digits.png"],
            "digits.png: neither a safetensors file nor one of",
        ),
    ],
)
def test_mistakes_are_said_in_one_line(trained, arguments, message, monkeypatch, capsys):
    from matplotlib.image import imsave

    monkeypatch.chdir(trained)
    imsave("blank.png", np.ones((9, 9, 3)))
    (trained / "cut.png").write_bytes((trained / "digits.png").read_bytes()[:5000])
    kept = facula.load("digits.safetensors")
    kept["network"]["features.0.weight"].fill_(facula.nan)
    facula.save(kept, "nan")
    facula.save({"weight": facula.ones(2)}, "foreign")
    facula.save({"network": {"weight": facula.ones(2)}}, "other")
    try:
        status, _, err = ask(trained, monkeypatch, capsys, *arguments)
    finally:
        for name in ("blank.png", "foreign", "other", "nan", "cut.png"):
            (trained / name).unlink()
    assert status in (1, 2) and not (trained / "new").exists()
    assert message in err.splitlines()[-1]


@pytest.mark.parametrize("module", ["sklearn", "tqdm", "matplotlib"])
def test_without_the_extra_it_says_what_to_install(module, tmp_path):
    """Hide the module with a finder that raises for it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\nfind = importlib.util.find_spec\n"
        f"importlib.util.find_spec = lambda name, *rest: None if name == {module!r} else find(name, *rest)\n"
    )
    done = run(tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    assert done.returncode == 2
    advice = re.search(r"install them with: pip install ([\w -]+)\n", done.stderr)[1]
    assert {"sklearn": "scikit-learn"}.get(module, module) in advice.split()


def test_what_could_not_be_kept_is_refused_before_any_work(tmp_path, monkeypatch, capsys):
    for arguments, message in (
        (("--checkpoint", "x.png", "--picture", "./x.png"), "expected another file than the checkpoint"),
        (("--picture", "a.xyz"), "ends in one of .*png"),
    ):
        status, _, err = ask(tmp_path, monkeypatch, capsys, *arguments)
        assert status == 2
        assert re.search(message, err)
        assert os.listdir(tmp_path) == []


def test_a_large_image_takes_little(trained, tmp_path):
    import tracemalloc

    from matplotlib.image import imsave

    from facula.examples.digits.reading import from_file

    picture = np.full((1500, 1200), 255, np.uint8)
    picture[300:1200, 500:640] = 0
    imsave(tmp_path / "one.png", picture, cmap="gray", vmin=0, vmax=255)
    tracemalloc.start()
    image = from_file(str(tmp_path / "one.png"))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert image.shape == (8, 8)
    assert most < 64 * picture.size
