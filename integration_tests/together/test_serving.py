"""examples/serve: the C program, built as the page describes, gives the network's answers in Python."""

import re
import subprocess

import pytest
from model_files import PROGRAM, write

import facula
import facula.nn as nn


@pytest.fixture(scope="module")
def server(root, tmp_path_factory):
    """Build the program with the command in its source."""
    source = root / "examples" / "serve" / "serve.c"
    (line,) = re.findall(r"^ +(gcc .*)$", source.read_text(), re.M)
    assert line in (root / "examples" / "README.md").read_text()
    folder = tmp_path_factory.mktemp("serve")
    where = subprocess.run([PROGRAM, "--where"], capture_output=True, text=True, check=True).stdout.strip()
    command = line.replace("FOLDER", where).replace("serve.c", str(source))
    subprocess.run([*command.split(), "-Wall", "-Wextra", "-Werror"], cwd=folder, check=True, timeout=600)
    return folder / "serve"


@pytest.fixture(scope="module")
def network():
    facula.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4)).eval()


@pytest.fixture(scope="module")
def model(network, tmp_path_factory):
    """Return the network's file, for one request at a time."""
    captured = facula.capture(lambda x: network(x), on_break="error")
    with facula.no_grad():
        for _ in range(2):
            captured(facula.zeros(1, 6))
    return write(tmp_path_factory.mktemp("model") / "network.facula", one=captured)


def test_requests_are_answered(server, model, network):
    """Check each request separately, including invalid ones."""
    requests = facula.randn(5, 6)
    lines = [" ".join(map(str, one)) for one in requests.tolist()]
    lines[2:2] = ["1 2 three", "1 2 3 4 5 6 7"]
    done = subprocess.run([server, model], input="\n".join(lines), capture_output=True, text=True, timeout=600, env={})
    assert not done.returncode, done.stderr
    answers = done.stdout.splitlines()
    assert answers[2:4] == ["expected 6 numbers; got 2", "expected 6 numbers; got at least 7"]
    shares = network(requests).softmax(1)
    wanted = [f"{number} {share:.3f}" for number, share in zip(shares.argmax(1).tolist(), shares.amax(1).tolist())]
    assert answers[:2] + answers[4:] == wanted


def test_a_model_that_is_not_there(server, tmp_path):
    """Check the message and that the program exits."""
    done = subprocess.run([server, tmp_path / "none.facula"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    assert "No such file" in done.stderr
