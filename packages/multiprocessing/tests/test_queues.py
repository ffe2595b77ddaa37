"""Queues keep the order of messages, whether the calling thread or the queue's thread writes them."""

import os
import queue
import subprocess
import sys
import threading

import numpy as np
import pytest
from sharing_helpers import LARGE, eventually, taken

from facula_errors.testing import raises
from facula_multiprocessing._processes.queues import MAX_ATOMIC

BLOB = os.urandom(3 * MAX_ATOMIC)  # more than is written at once


def test_small_messages_need_no_thread(fork):
    messages = fork.Queue()
    for number in range(10):
        messages.put(number)
        messages.put(np.full(LARGE, number))
    for number in range(10):
        assert messages.get() == number and (messages.get() == number).all()
    assert messages._thread is None
    messages.close()
    messages.join_thread()
    with raises(ValueError, "put", "is closed"):
        messages.put(1)


def test_the_order_is_kept_when_the_pipe_is_full_for_a_while(fork):
    """Alternate small and large messages, more than a pipe holds; then small ones are written directly again."""
    messages = fork.Queue()
    sent = [number if number % 7 else (number, BLOB) for number in range(3000)]
    for one in sent:
        messages.put(one)  # there is no reader yet, and it does not wait
    assert messages._thread.is_alive()
    assert [messages.get() for _ in sent] == sent
    assert eventually(lambda: messages._send_bytes.done == messages._handed)
    with messages._wlock:  # which its thread drops a moment later
        pass
    before = messages._handed
    for number in range(20):
        messages.put(number)
        assert messages.get() == number
    assert messages._handed == before and messages.empty()
    messages.close()
    messages.join_thread()


def produce(messages, who, count):
    for number in range(count):
        messages.put((who, number, BLOB if number % 50 == 0 else np.full(LARGE, number) if number % 30 == 0 else None))


def test_each_producer_keeps_its_order(context):
    """Processes, and threads of one process, with one consumer; their last messages arrive after their end."""
    messages, count = context.Queue(), 300
    processes = [context.Process(target=produce, args=(messages, who, count)) for who in range(2)]
    threads = [threading.Thread(target=produce, args=(messages, who, count)) for who in (2, 3)]
    for one in (*processes, *threads):
        one.start()
    following = dict.fromkeys(range(4), 0)
    for _ in range(4 * count):
        who, number, _ = messages.get(timeout=600)
        assert number == following[who]
        following[who] += 1
    for one in (*processes, *threads):
        one.join()
    assert messages.empty() and all(process.exitcode == 0 for process in processes)


def put_and_end(messages):
    for number in range(200):
        messages.put((number, BLOB))


def test_a_producer_that_ends_has_sent_all(fork):
    messages = fork.Queue()
    process = fork.Process(target=put_and_end, args=(messages,))
    process.start()
    assert [messages.get(timeout=600)[0] for _ in range(200)] == list(range(200))
    process.join()


def test_a_child_of_a_producer_puts_by_itself(fork):
    messages = fork.Queue()
    messages.put((0, BLOB))  # so that there is a thread, which the child lacks
    process = fork.Process(target=put_and_end, args=(messages,))
    process.start()
    assert messages.get()[0] == 0
    assert [messages.get(timeout=600)[0] for _ in range(200)] == list(range(200))
    process.join()


def test_a_bounded_queue_raises_full(fork):
    messages = fork.Queue(2)
    messages.put(1)
    messages.put_nowait(2)
    with pytest.raises(queue.Full):
        messages.put(3, timeout=0.01)
    assert messages.get() == 1
    messages.put(3)
    assert [messages.get(), messages.get()] == [2, 3]
    with pytest.raises(queue.Empty):
        messages.get_nowait()


def finish(messages, count):
    for _ in range(count):
        messages.get()
        messages.task_done()


def test_join_waits_for_both_ways_of_putting(context):
    messages = context.JoinableQueue()
    process = context.Process(target=finish, args=(messages, 40))
    for number in range(40):
        messages.put(BLOB if number % 5 == 0 else number)
    process.start()
    messages.join()
    process.join()
    with pytest.raises(ValueError, match="too many times"):
        messages.task_done()


def test_put_raises_no_error_without_a_reader(fork, capfd):
    """As in multiprocessing, the thread reports it."""
    messages = fork.Queue()
    messages._reader.close()
    messages.put(1)
    said = []
    assert eventually(lambda: said.append(capfd.readouterr().err) or "BrokenPipeError" in "".join(said))


def test_descriptors_and_memory_are_flat_over_many_messages(fork):
    inbox, outbox = fork.Queue(), fork.SimpleQueue()
    process = fork.Process(target=count_messages, args=(inbox, outbox))
    process.start()
    before = None
    for turn in range(6):
        for number in range(500):
            inbox.put([np.full(LARGE, number), number])
        assert outbox.get() == 500
        now = len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{process.pid}/fd")), taken()
        if turn == 1:
            before = now
    assert now == before
    inbox.put(None)
    process.join()


def count_messages(inbox, outbox):
    count = 0
    while (message := inbox.get()) is not None:
        count += bool((message[0] == message[1]).all())
        del message
        if count % 500 == 0:
            outbox.put(500)


SENDING = """
import warnings
import numpy as np
import facula_multiprocessing as mp

def add(inbox, outbox):
    outbox.put(inbox.get() + 1)

if __name__ == "__main__":
    {before}
    warnings.simplefilter("always")
    context = mp.get_context("fork")
    inbox, outbox = context.Queue(), context.Queue()
    process = context.Process(target=add, args=(inbox, outbox))
    process.start()
    inbox.put(np.arange(1 << 20))
    assert outbox.get()[-1] == 1 << 20
    process.join()
    try:
        print(mp.shared_empty(1 << 20, "uint8").nbytes)
    except mp.SharedMemoryError as error:
        print(error)
"""


def run(command, before="pass"):
    return subprocess.run(
        [*command, sys.executable, "-c", SENDING.format(before=before)], capture_output=True, text=True
    )


def test_a_tiny_dev_shm_changes_nothing():
    mounted = "mount -t tmpfs -o size=64k tmpfs /dev/shm"  # only the locks of queues
    spaces = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    try:
        allowed = subprocess.run([*spaces, mounted], capture_output=True).returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("this system lets nobody mount a file system of his own")
    found = run([*spaces, mounted + ' && exec "$@"', "sh"])
    assert (found.returncode, found.stdout, found.stderr) == (0, "1048576\n", "")


def test_a_limit_on_files_sends_copies_with_a_warning():
    found = run([], "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))")
    assert found.returncode == 0, found.stderr
    assert "1 MiB at most" in found.stdout and "raise `ulimit -f`" in found.stdout
    assert found.stderr.count("goes through the pipe, because no shared memory is left") == 2  # one for each process
    assert "raise `ulimit -f`" in found.stderr
