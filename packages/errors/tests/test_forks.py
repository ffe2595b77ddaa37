"""Forks while another thread imports a module of the library."""

import os
import subprocess
import sys

PROGRAM = """
import os, sys, threading
import facula_errors
sys.path.insert(0, sys.argv[1])
threading.started = threading.Event()
thread = threading.Thread(target=__import__, args=("facula_slow",))
thread.start()
threading.started.wait()
child = os.fork()
if not child:
    import facula_slow
    os._exit(facula_slow.value)
print(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
thread.join()
"""
MODULE = "import threading, time\nthreading.started.set()\ntime.sleep(0.3)\nvalue = 7\n"


def test_a_forked_child_can_import_what_another_thread_was_importing(tmp_path):
    (tmp_path / "facula_slow.py").write_text(MODULE)
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            assert process.communicate(timeout=60)[0] == "7\n"
        except BaseException:
            os.killpg(process.pid, 9)
            raise


def test_a_fork_during_an_import_of_its_own_thread_does_not_wait(tmp_path):
    (tmp_path / "facula_forks.py").write_text("import os\nchild = os.fork()\nif not child:\n    os._exit(5)\n")
    program = (
        "import os, sys\nfrom facula_errors import _forks\n_forks.time = None\nsys.path.insert(0, sys.argv[1])\n"
        "import facula_forks\nprint(os.WEXITSTATUS(os.waitpid(facula_forks.child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("5\n", "")
