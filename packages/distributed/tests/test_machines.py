"""How launchers of several machines find each other: options, Slurm's variables, tokens, and who does not fit."""

import argparse
import json
import os
import signal
import socket
import threading
import time
from datetime import timedelta

import pytest
from launcher import free_port

from facula_distributed._board.board import Board, numbered
from facula_distributed._launch.alone import Failure, InterruptError
from facula_distributed._launch.machines import Machines
from facula_distributed._launch.mirror import Mirror
from facula_distributed._launch.options import add_options, launch
from facula_distributed._launch.places import Place, find_place, names_of_list
from facula_distributed._launch.stacks import Stack
from facula_distributed._launch.watch import Watcher
from facula_distributed._shm import ffi, lib
from facula_distributed._stores.stores import LauncherStore
from facula_errors import OperationError
from facula_errors.testing import raises

ABOUT = {"version": "1", "facula": "", "nnodes": 2, "nproc": 1, "max_restarts": 0, "error": ""}
LIMIT = 30.0
SLURM = {
    "SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "2", "SLURM_STEP_NUM_NODES": "3", "SLURM_STEP_NUM_TASKS": "3",
    "SLURM_NODEID": "1", "SLURM_STEP_NODELIST": "gpu[007-008],login", "SLURM_JOB_UID": "1000",
}  # fmt: skip


def place_of(text, environment=()):
    parser = argparse.ArgumentParser()
    add_options(parser)
    return find_place(parser.parse_args(text.split()), dict(environment))


def test_options_and_variables_say_which_machine_this_is():
    assert place_of("--nproc 2") is place_of("--nnodes 1") is None
    found = place_of("--nnodes 3 --node-rank 2 --master [::1]:80 --token x --join-timeout 7 --lost-after 2")
    assert found == Place(3, 2, "::1", 80, "x", 7.0, 2.0)
    assert place_of("--nnodes 2 --node-rank 0 --master a:1", {"FACULA_JOB_TOKEN": "secret"}).token == "secret"


def test_slurm_variables_say_which_machine_this_is():
    found = place_of("--nproc 4", SLURM)
    assert found[:4] == (3, 1, "gpu007", 20_000 + 4711 + 202) and "4711.2" in found.token
    assert place_of("--nproc 4", {**SLURM, "FACULA_JOB_TOKEN": "secret"}).token == "secret"
    assert place_of("--nproc 4 --master other:77", SLURM)[2:4] == ("other", 77)
    assert place_of("--nnodes 1", SLURM) is None
    assert place_of("--nproc 4", {**SLURM, "SLURM_STEP_NUM_NODES": "1"}) is None
    batch = {name: value for name, value in SLURM.items() if "STEP" not in name}  # before srun
    assert place_of("--nproc 4", {**batch, "SLURM_JOB_NUM_NODES": "3"}) is None


def test_lists_of_slurm():
    assert names_of_list("a") == ["a"]
    assert names_of_list("n[9-11,003]-x,b,r[1-2]c[0,2]") == [
        "n9-x", "n10-x", "n11-x", "n003-x", "b", "r1c0", "r1c2", "r2c0", "r2c2"]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "variables", "words"),
    [("--nnodes 2", {}, "expected --node-rank and --master HOST:PORT"),
     ("--nproc 2 --node-rank 1", {}, "expected --nnodes with --node-rank and --master"),
     ("--nnodes 2 --node-rank 2 --master a:1 --token x", {}, "--node-rank from 0 to 1; got 2"),
     ("--nnodes 2 --node-rank 0 --master a --token x", {}, "HOST:PORT"),
     ("--nnodes 2 --node-rank 0 --master a:99999 --token x", {}, "'a:99999'"),
     ("--nnodes 2 --node-rank 0 --master a:1", {}, "set FACULA_JOB_TOKEN to a secret text"),
     ("--nproc 2", {**SLURM, "SLURM_STEP_NUM_TASKS": "6"}, "got 6 tasks on 3 machines; use srun --ntasks-per-node=1"),
     ("--nproc 2", {**SLURM, "SLURM_NODEID": ""}, "expected SLURM_JOB_ID, SLURM_NODEID and SLURM_JOB_NODELIST")],
)  # fmt: skip
def test_missing_and_invalid_options_are_refused(text, variables, words):
    with raises(OperationError, "facula run", words):
        place_of(text, variables)


def test_several_machines_and_one_process_are_refused(capsys):
    parser = argparse.ArgumentParser()
    add_options(parser)
    options = "--one-process --nnodes 2 --node-rank 0 --master a:1 --token x"
    assert launch(parser.parse_args(options.split()), [], print) == 2
    assert "expected --one-process or several machines; got both" in capsys.readouterr().err


class Run:
    """The launchers of a run, as threads; `results` has what they return or raise."""

    def __init__(self, launchers, then=lambda machines: None):
        """Begin them: (place, about) of each one, and what it does after it has joined."""
        self.machines = [Machines(place, about["nproc"], about) for place, about in launchers]
        self.results = [None] * len(launchers)
        self._threads = [
            threading.Thread(target=self._run, args=(index, then), daemon=True) for index in range(len(launchers))
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, index, then):
        try:
            self.machines[index].join()
            self.results[index] = then(self.machines[index])
        except (OperationError, InterruptError) as error:
            self.results[index] = error
        finally:
            self.machines[index].close()

    def finish(self):
        for thread in self._threads:
            thread.join(LIMIT)
            assert not thread.is_alive()
        return self.results


def places(count, token="x", join_timeout=LIMIT, lost_after=LIMIT):
    port = free_port()
    return [Place(count, node, "127.0.0.1", port, token, join_timeout, lost_after) for node in range(count)]


def test_launchers_agree_on_values_and_on_the_cause_of_a_failure():
    about = {**ABOUT, "nnodes": 3}
    name, are_sent = f"node 1 ({socket.gethostname()})", threading.Event()

    def exchange(machines):
        values = machines.gather("values", machines.node * 10)
        if machines.node == 1:
            machines.fail(Failure(1, "rank 1 fails", 3))
            machines.fail(Failure(1, "rank 1 was killed", 137, is_killed=True))
            are_sent.set()
        assert are_sent.wait(LIMIT)  # node 0 decides soon after the first one
        while machines.verdict is None:
            machines.poll(0.1)
        machines.gather("end", None)
        return values, machines.verdict

    for values, verdict in Run([(place, about) for place in places(3)], exchange).finish():
        assert values == [0, 10, 20]
        assert verdict == (1, f"{name}: rank 1 was killed", 137, True)


def use_store(machines):
    place, found = machines.place, []

    def run():
        for _ in range(2):
            store = LauncherStore(place.host, place.port, place.token, timedelta(seconds=LIMIT))
            found.append(store.add("count", 1))

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        machines.poll(0.01)
    machines.gather("end", None)
    return found


def test_ranks_of_all_machines_have_a_store():
    found = Run([(place, ABOUT) for place in places(2)], use_store).finish()
    assert sorted(found[0] + found[1]) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("change", "words"),
    [({"version": "2"}, "expected the same version of facula-distributed on all machines; got 1 on node 0"),
     ({"facula": "2"}, "expected the same version of facula on all machines"),
     ({"nproc": 3}, "expected the same --nproc on all machines; got 1 on node 0"),
     ({"nnodes": 3}, "expected the same --nnodes on all machines; got 2 on node 0"),
     ({"error": "expected mpi4py, for MPI"}, "expected mpi4py, for MPI")],
)  # fmt: skip
def test_machines_that_differ_are_named_on_all(change, words):
    first, second = places(2)
    results = Run([(first, ABOUT), (second, {**ABOUT, **change})]).finish()
    for result in results:
        assert isinstance(result, OperationError) and words in str(result) and "node 1 (" in str(result)


def test_a_missing_machine_is_named_on_all_others():
    found = [place for place in places(3, join_timeout=0.4) if place.node != 1]
    first, last = Run([(place, {**ABOUT, "nnodes": 3}) for place in found]).finish()
    assert "expected 3 machines within 0.4 s; no nodes [1]" in str(first)
    assert str(first) == str(last)


def test_node_0_that_is_missing_is_named():
    (result,) = Run([(places(2, join_timeout=0.3)[1], ABOUT)]).finish()
    assert "expected the launcher of node 0 at 127.0.0.1:" in str(result) and "Connection refused" in str(result)


def test_a_wrong_token_is_refused_and_the_run_waits_for_the_right_one():
    first, second = places(2)
    run = Run([(first, ABOUT)], lambda machines: machines.gather("end", 1))
    (result,) = Run([(second._replace(token="other"), ABOUT)]).finish()
    assert "the launcher there has another job token" in str(result)
    with socket.create_connection((first.host, first.port)) as stranger:  # that is not read
        stranger.sendall(json.dumps({"kind": "verdict"}).encode() * 10)
    assert Run([(second, ABOUT)], lambda machines: machines.gather("end", 1)).finish() == run.finish() == [[1, 1]]


def test_two_launchers_with_one_number_are_refused():
    first, second, third = places(3)
    about = {**ABOUT, "nnodes": 3}
    run = Run([(first, about), (second, about)], lambda machines: machines.gather("end", 1))
    while 1 not in run.machines[0]._others:
        time.sleep(0.01)
    (result,) = Run([(second, about)]).finish()
    assert "expected one launcher per --node-rank; got two for 1" in str(result)
    last = Run([(third, about)], lambda machines: machines.gather("end", 1))
    assert run.finish() + last.finish() == [[1, 1, 1]] * 3


def test_a_port_in_use_and_another_program_there_are_named():
    first, second = places(2)
    with socket.create_server((first.host, first.port)) as other:
        results = Run([(first, ABOUT), (second, ABOUT)])
        other.accept()[0].send(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)
        found = results.finish()
    assert f"port {first.port} of this machine, node 0, cannot be used (Address already in use)" in str(found[0])
    assert "another program answers there" in str(found[1])


def wait_for_the_end(machines):
    if machines.node == 1 and machines.place.lost_after < 1:
        machines._is_closed.set()  # like a stopped process, it sends no signs of life
        time.sleep(1)
        return None
    while machines.verdict is None and machines.signal is None:
        machines.poll(0.1)
    return machines.verdict or machines.signal


def wait_without_polling(machines):
    if machines.node == 1:
        time.sleep(1)  # like a launcher whose output nobody reads
    return machines.gather("values", machines.node)


def test_a_launcher_that_is_busy_is_not_lost():
    run = Run([(place, ABOUT) for place in places(2, lost_after=0.5)], wait_without_polling)
    assert run.finish() == [[0, 1]] * 2


def test_a_launcher_that_is_silent_is_lost():
    result, _ = Run([(place, ABOUT) for place in places(2, lost_after=0.3)], wait_for_the_end).finish()
    assert result.rank == -1 and "its launcher did not answer for 0.3 s" in result.text


def test_a_signal_reaches_all_launchers():
    run = Run([(place, {**ABOUT, "nnodes": 3}) for place in places(3)], wait_for_the_end)
    while not all(machines._hosts for machines in run.machines):
        time.sleep(0.01)
    run.machines[2].interrupt(signal.SIGTERM)
    assert run.finish() == [signal.SIGTERM] * 3


def test_a_signal_ends_launchers_that_wait_for_others():
    run = Run([(place, {**ABOUT, "nnodes": 3}) for place in places(3)[:2]])
    while 1 not in run.machines[0]._others:
        time.sleep(0.01)
    run.machines[1].interrupt(signal.SIGINT)
    assert [type(result) for result in run.finish()] == [InterruptError] * 2


def test_records_of_other_machines_are_copied():
    boards = [Board.create(4), Board.create(4)]
    boards[1].head.groups = 1
    place, seat = boards[1].place(3), boards[1].take_seat(0, 3)
    place.pid, place.joined, place.since, seat.number, seat.phase = 77, 2, 5.0, 11, 12
    record = seat.records[11 % lib.RECORDS]
    record.number, record.begun, record.signature.dtype, record.signature.root = 11, 100.0, 10, -1
    record.signature.operation, record.signature.reduction = 2, 0
    ffi.memmove(record.where, b"train.py:17\0", 12)
    sender, receiver = Mirror(boards[1], range(2, 4)), Mirror(boards[0], range(2))
    first = sender.changes()
    receiver.apply(first, range(2, 4), ahead=1000.0)
    group, found = boards[0].latest(3)
    assert numbered(group, found) == "collective 11, all_reduce(float32, shape (), SUM) at train.py:17"
    assert (found.begun, found.ended, boards[0].place(3).pid, boards[0].place(3).since) == (1100.0, 0.0, 0, 1005.0)
    assert len(sender.changes()) < 50 < len(first)  # nothing has changed
    receiver.apply(first, range(2), ahead=0.0)  # pages of ranks that the sender does not have
    assert boards[0].latest(3)[1].begun == 1100.0
    for board in boards:
        os.close(board.fd)


class Ranks:
    """The processes of ranks, of which some are stopped."""

    def __init__(self, *stopped):
        self.stopped = stopped

    def state(self, rank):
        return "stopped" if rank in self.stopped else "sleeping"

    def stacks(self, ranks):
        return {rank: Stack("pid 1, stopped", []) for rank in ranks}


def board_in_collectives(numbers):
    """Create a board of ranks that are in these collectives since long."""
    board = Board.create(len(numbers))
    board.head.groups = 1
    for rank, number in enumerate(numbers):
        seat = board.take_seat(0, rank)
        seat.number = seat.phase = number
        record = seat.records[number % lib.RECORDS]
        record.number, record.begun, record.signature.dtype, record.signature.root = number, 1.0, 10, -1
    return board


@pytest.mark.parametrize(
    ("numbers", "stopped", "words"),
    [([7, 7, 7], 1, "rank 1 missed collective 7, "), ([8, 7, 7], 2, "rank 2 missed collective 8, ")],
)
def test_a_rank_that_is_stopped_within_a_collective_is_the_cause(numbers, stopped, words):
    board, said = board_in_collectives(numbers), []
    rank, text = Watcher(board, Ranks(stopped), said.append, 1, 2).look()
    assert rank == stopped and words in text
    remark = "is in it" if numbers[0] == 7 else "has not called it; it is still in 7, init_process_group"
    assert f"  rank {stopped} (pid 1, stopped) {remark}" in "\n".join(said)
    assert Watcher(board_in_collectives([7, 7, 7]), Ranks(), said.append, 1, 2).look() is None
    os.close(board.fd)
