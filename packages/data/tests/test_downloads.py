"""`download=True`, from a local server that can fail in several ways."""

import gzip
import hashlib
import io
import itertools
import multiprocessing
import socket
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
from file_helpers import idx_bytes, write_cifar10, write_mnist

from facula_data.files import CIFAR10, CIFAR100, MNIST, CorruptFileError, FashionMNIST, _download
from facula_data.files._download import _Part, fetch
from facula_errors.testing import raises

LABELS = "t10k-labels-idx1-ubyte.gz"


class Server(ThreadingHTTPServer):
    """Serves `files` by name; `ranges`, `cut` and `status` choose how. `asked` collects (name, Range)."""

    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Answer)
        self.files, self.asked = files, []
        self.ranges = True  # whether it can send a part of a file
        self.cut = 0  # bytes of an answer before the connection ends, if not 0
        self.status = 0  # of all answers, if not 0
        self.address = f"http://127.0.0.1:{self.server_port}/"


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        server, name = self.server, self.path[1:]
        wanted = self.headers["Range"]
        server.asked.append((name, wanted))
        if server.status or name not in server.files:
            self.send_error(server.status or 404)
            return
        body = server.files[name]
        first = int(wanted.removeprefix("bytes=")[:-1]) if wanted and server.ranges else 0
        if first >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if first else 200)
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - first))
        self.end_headers()
        self.wfile.write(body[first : first + server.cut] if server.cut else body[first:])

    def log_message(self, *arguments):
        pass


def serve(files):
    server = Server(files)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Return a server of MNIST's four files, which `MNIST` uses as its only mirror."""
    write_mnist(tmp_path / "there", compressed=True)
    files = {name: (tmp_path / "there" / name).read_bytes() for name in MNIST._checksums}
    server = serve(files)
    monkeypatch.setattr(MNIST, "mirrors", (server.address,))
    monkeypatch.setattr(MNIST, "_checksums", {name: hashlib.md5(body).hexdigest() for name, body in files.items()})
    yield server
    server.shutdown()
    server.server_close()


def test_missing_files_are_downloaded_once(server, tmp_path, capsys):
    data = MNIST(tmp_path / "here", train=False, download=True)
    expected = MNIST(tmp_path / "there", train=False)
    np.testing.assert_array_equal(data.data, expected.data)
    np.testing.assert_array_equal(data.targets, expected.targets)
    folder = tmp_path / "here" / "MNIST" / "raw"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == server.files
    assert f"{LABELS}: " in capsys.readouterr().err
    assert len(server.asked) == 4
    MNIST(tmp_path / "here", download=True)
    (folder / LABELS).unlink()
    (folder / LABELS[:-3]).write_bytes(gzip.decompress(server.files[LABELS]))
    MNIST(tmp_path / "here", train=False, download=True)
    assert len(server.asked) == 4
    with raises(TypeError, "MNIST", "download"):
        MNIST(tmp_path / "here", download="yes")


def test_interrupted_transfers_continue(server, tmp_path):
    server.cut = 20
    data = MNIST(tmp_path / "here", download=True)
    assert len(data) == 12
    name = "t10k-images-idx3-ubyte.gz"
    ranges = [wanted for asked, wanted in server.asked if asked == name]
    assert ranges == [None, *(f"bytes={n}-" for n in range(20, len(server.files[name]), 20))]


def test_progress_of_dropped_connections_is_one_line(server, tmp_path, monkeypatch, capsys):
    """Check that a download continues its line in a terminal, and that a failed one ends it."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(_download, "time", SimpleNamespace(monotonic=itertools.count().__next__))
    server.cut = 20
    MNIST(tmp_path / "here", download=True)
    lines = capsys.readouterr().err.split("\n")
    assert len(lines) == 5 and not lines.pop() and all(line.endswith("100%") for line in lines)
    monkeypatch.setattr(_download, "_receive", lambda address, part, progress: progress.show(7))
    with pytest.raises(OSError, match="cannot download"):
        MNIST(tmp_path / "there again", download=True)
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("kept", ["half", "all", "another file", "too much"])
def test_a_part_of_an_earlier_call_is_continued(server, tmp_path, kept, ranges):
    body = server.files[LABELS]
    part = tmp_path / "here" / "MNIST" / "raw" / f"{LABELS}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes({"half": body[:10], "all": body, "another file": b"<html>"[:5], "too much": body + b"!"}[kept])
    server.ranges = ranges
    data = MNIST(tmp_path / "here", train=False, download=True)
    np.testing.assert_array_equal(data.targets, MNIST(tmp_path / "there", train=False).targets)
    assert not list(part.parent.glob("*.part"))
    asked = [wanted for name, wanted in server.asked if name == LABELS]
    assert (
        asked[0]
        == f"bytes={len({'half': body[:10], 'all': body, 'another file': b'12345', 'too much': body + b'!'}[kept])}-"
    )
    # Only bytes that cannot be continued are sent again.
    assert len(asked) == (1 if kept in ("half", "all") or not ranges else 2)


@pytest.mark.parametrize("cut", [0, 20])
def test_a_wrong_checksum_is_named_and_nothing_remains(server, tmp_path, cut):
    server.cut = cut
    server.files[LABELS] = gzip.compress(idx_bytes(np.zeros(12, np.uint8)))
    found = hashlib.md5(server.files[LABELS]).hexdigest()
    with raises(
        OSError, "MNIST", f"cannot download {LABELS}", f"expected the MD5 {MNIST._checksums[LABELS]}", value=found
    ):
        MNIST(tmp_path / "here", download=True)
    folder = tmp_path / "here" / "MNIST" / "raw"
    assert not (folder / LABELS).exists()
    assert not list(folder.glob("*.part"))
    assert [name for name, _ in server.asked].count(LABELS) == (-(-len(server.files[LABELS]) // cut) if cut else 1)


def test_the_next_mirror_follows(server, tmp_path, monkeypatch):
    broken = serve({})
    wrong = serve(dict.fromkeys(server.files, b"<html>"))
    monkeypatch.setattr(MNIST, "mirrors", (broken.address, wrong.address, server.address))
    assert len(MNIST(tmp_path / "here", download=True)) == 12
    for one in (broken, wrong):
        one.shutdown()
        one.server_close()


def test_offline_the_missing_files_their_addresses_and_the_folder_are_named(tmp_path, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    monkeypatch.setattr(MNIST, "mirrors", (address,))
    folder = tmp_path / "MNIST" / "raw"
    names = list(MNIST._checksums)
    for left in (names, names[1:3]):
        addresses = ", ".join(address + name for name in left)
        with raises(OSError, "MNIST", f"without a network, download {addresses} to {folder} by other means") as caught:
            MNIST(tmp_path, download=True)
        needed = "train=True needs only train-images-idx3-ubyte.gz and train-labels-idx1-ubyte.gz"
        assert needed in str(caught.value)
        assert f"cannot download {left[0]}" in str(caught.value) and "refused" in str(caught.value)
        assert not list(folder.glob("*.part"))
        for name in (names[0], names[3]):
            (folder / name[:-3]).write_bytes(b"")
    with raises(FileNotFoundError, "MNIST", f"pass download=True, or get {address}{names[1]}") as caught:
        MNIST(tmp_path)
    assert names[2] not in str(caught.value)
    part = "t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or the same with .gz, should be in one of"
    with raises(FileNotFoundError, "FashionMNIST", part):
        FashionMNIST(tmp_path / "elsewhere", train=False)


def test_damaged_files_are_named(server, tmp_path):
    MNIST(tmp_path / "here", download=True)
    folder = tmp_path / "here" / "MNIST" / "raw"
    other = gzip.compress(idx_bytes(np.ones(12, np.uint8)))
    (folder / LABELS).write_bytes(other)
    assert MNIST(tmp_path / "here", train=False).targets.tolist() == [1] * 12  # a file of the program's
    with raises(
        CorruptFileError, "MNIST", "damaged", MNIST._checksums[LABELS], f"in {folder / LABELS}; remove the file"
    ):
        MNIST(tmp_path / "here", download=True)
    for damaged in (b"", server.files[LABELS][:-9], server.files[LABELS][:-5] + b"1234\0", b"<html></html>"):
        (folder / LABELS).write_bytes(damaged)
        with raises(CorruptFileError, "MNIST", str(folder / LABELS), "remove it and pass download=True"):
            MNIST(tmp_path / "here", train=False)
    (folder / LABELS).unlink()
    assert len(MNIST(tmp_path / "here", train=False, download=True)) == 12


def test_files_in_the_root_are_checked_there(server, tmp_path):
    for name, body in server.files.items():
        (tmp_path / name).write_bytes(body)
    assert len(MNIST(tmp_path, download=True)) == 12 and not server.asked
    (tmp_path / LABELS).write_bytes(b"")
    with raises(CorruptFileError, "MNIST", "damaged", str(tmp_path / LABELS)):
        MNIST(tmp_path, download=True)


def test_a_process_that_waits_for_a_failed_download_starts_it_again(server, tmp_path):
    """The empty FILE.part of the failed one is removed while others wait for its lock."""
    path, ready, wait = str(tmp_path / "a.part"), threading.Event(), threading.Event()

    def fail():
        with _Part(path):
            ready.set()
            wait.wait()

    first = threading.Thread(target=fail)
    first.start()
    ready.wait()
    paths = {str(tmp_path / "a"): "", str(tmp_path / LABELS): MNIST._checksums[LABELS]}
    server.files["a"] = b"one"
    paths[str(tmp_path / "a")] = hashlib.md5(b"one").hexdigest()
    second = threading.Thread(target=fetch, args=("MNIST", paths, [server.address]))
    second.start()
    second.join(0.2)
    wait.set()
    first.join()
    second.join()
    assert sorted(file.name for file in tmp_path.iterdir() if file.is_file()) == ["a", LABELS]


@pytest.mark.parametrize("status", [403, 404, 503])
def test_answers_without_the_file(server, tmp_path, status):
    server.status = status
    with raises(OSError, "MNIST", f"{server.address}train-images-idx3-ubyte.gz", str(status)):
        MNIST(tmp_path / "here", download=True)
    assert len(server.asked) == 1


def test_connections_that_end_at_once(server, tmp_path, monkeypatch):
    monkeypatch.setattr(Answer, "do_GET", lambda self: self.server.asked.append(self.path))
    with raises(OSError, "MNIST", "cannot download train-images-idx3-ubyte.gz"):
        MNIST(tmp_path / "here", download=True)
    assert len(server.asked) == 3


def test_a_full_disk(server, tmp_path):
    part = tmp_path / "here" / "MNIST" / "raw" / f"{LABELS}.part"
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with raises(OSError, "MNIST", "No space left on device", "free space or choose another folder") as caught:
        MNIST(tmp_path / "here", download=True)
    assert caught.value.filename == str(part)
    part.unlink()
    assert len(MNIST(tmp_path / "here", download=True)) == 12


def _load(folder, address, checksums):
    MNIST.mirrors, MNIST._checksums = (address,), checksums
    MNIST(folder, download=True)


def test_processes_download_a_file_once(server, tmp_path):
    context = multiprocessing.get_context("spawn")
    arguments = (tmp_path / "here", server.address, MNIST._checksums)
    processes = [context.Process(target=_load, args=arguments) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert len(server.asked) == 4


def test_archives_are_unpacked(tmp_path, monkeypatch):
    write_cifar10(tmp_path / "cifar-10-batches-py")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        tar.add(tmp_path / "cifar-10-batches-py", "cifar-10-batches-py")
        tar.addfile(tarfile.TarInfo("../outside"), io.BytesIO())
    name = "cifar-10-python.tar.gz"
    server = serve({name: packed.getvalue()})
    monkeypatch.setattr(CIFAR10, "mirrors", (server.address,))
    monkeypatch.setattr(CIFAR10, "_checksums", {name: hashlib.md5(packed.getvalue()).hexdigest()})
    root = tmp_path / "root"
    expected = CIFAR10(tmp_path)
    for _ in range(2):
        np.testing.assert_array_equal(CIFAR10(root, download=True).data, expected.data)
    assert sorted(path.name for path in root.iterdir()) == ["cifar-10-batches-py", name]
    assert not (tmp_path / "outside").exists()
    assert len(server.asked) == 1
    (root / "cifar-10-batches-py" / "data_batch_3").write_bytes(b"\x80")
    with raises(CorruptFileError, "CIFAR10", "remove it and pass download=True"):
        CIFAR10(root, download=True)
    (root / "cifar-10-batches-py" / "data_batch_3").unlink()
    with raises(FileNotFoundError, "CIFAR10", "pass download=True", "cifar-10-batches-py/data_batch_3"):
        CIFAR10(root)
    np.testing.assert_array_equal(CIFAR10(root, download=True).data, expected.data)
    assert len(server.asked) == 1
    (root / "cifar-10-batches-py").rename(tmp_path / "away")
    (root / name).write_bytes(b"something else")
    with raises(CorruptFileError, "CIFAR10", "expected the MD5", "remove the file"):
        CIFAR10(root, download=True)
    with raises(OSError, "CIFAR100", "cifar-100-python.tar.gz", "404"):
        CIFAR100(root, download=True)
    server.shutdown()
    server.server_close()
