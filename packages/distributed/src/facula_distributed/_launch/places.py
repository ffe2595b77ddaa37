"""Which of several machines this one is, by the options or by Slurm's variables, and whether they fit together."""

from __future__ import annotations

import re
import secrets
import socket
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import OperationError

from .._stores.tokens import TOKEN_VARIABLE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

_FIRST_PORT, _PORTS = 20_000, 12_000  # below the ports that systems give to clients
_SAME = {
    "version": "the same version of facula-distributed", "facula": "the same version of facula",
    "nnodes": "the same --nnodes", "nproc": "the same --nproc", "max_restarts": "the same --max-restarts",
}  # fmt: skip


class Place(NamedTuple):
    """The place of this machine in a run.

    Fields:
        nnodes: the number of machines.
        node: the number of this one.
        host: the name or address of node 0.
        port: its port, at which the launchers meet.
        token: what all launchers of the run know, and nobody else.
        join_timeout: seconds to wait for the other machines at the start.
        lost_after: seconds without an answer after which a machine is lost.
    """

    nnodes: int
    node: int
    host: str
    port: int
    token: str
    join_timeout: float
    lost_after: float


def find_place(given: argparse.Namespace, environment: Mapping[str, str]) -> Place | None:
    """Return this machine's place; None if it is the only one.

    Arguments:
        given: the options.
        environment: environment variables.

    Raises:
        OperationError: options are missing, or invalid.
    """
    slurm = _in_slurm(environment) if given.nnodes is None else None
    if slurm is not None:
        found = slurm
    else:
        if given.nnodes is None and (given.node_rank is not None or given.master is not None):
            raise OperationError("facula run: expected --nnodes with --node-rank and --master; add it")
        if given.nnodes in (None, 1):
            return None
        if given.node_rank is None or given.master is None:
            raise OperationError(
                f"facula run: expected --node-rank and --master HOST:PORT with --nnodes {given.nnodes}; add them"
            )
        found = Place(given.nnodes, given.node_rank, *_address(given.master), "", 0, 0)
    if given.master is not None:
        host, port = _address(given.master)
        found = found._replace(host=host, port=port)
    if not 0 <= found.node < found.nnodes:
        raise OperationError(f"facula run: expected --node-rank from 0 to {found.nnodes - 1}; got {found.node}")
    token = given.token or environment.get(TOKEN_VARIABLE) or found.token
    if not token:
        raise OperationError(
            f"facula run: expected a token, which all machines of this run have in common; set {TOKEN_VARIABLE} to a "
            f"secret text on all of them, such as {secrets.token_hex(16)}"
        )
    return found._replace(token=token, join_timeout=given.join_timeout, lost_after=given.lost_after)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise OperationError(f"facula run: expected --master as HOST:PORT, with a port up to 65535; got {text!r}")
    return host.strip("[]"), int(port)


def _in_slurm(environment: Mapping[str, str]) -> Place | None:
    """Return the place in a step of Slurm that runs on several machines; None elsewhere."""
    nnodes = environment.get("SLURM_STEP_NUM_NODES", "1")
    names = environment.get("SLURM_STEP_NODELIST") or environment.get("SLURM_JOB_NODELIST", "")
    job, node = environment.get("SLURM_JOB_ID", ""), environment.get("SLURM_NODEID", "")
    if not nnodes.isdigit() or int(nnodes) < 2:
        return None
    if not job.isdigit() or not node.isdigit() or not names:
        raise OperationError(
            f"facula run: expected SLURM_JOB_ID, SLURM_NODEID and SLURM_JOB_NODELIST, as Slurm runs {nnodes} machines; "
            f"got {job!r}, {node!r} and {names!r}; start it with srun, or give --nnodes, --node-rank and --master"
        )
    tasks = environment.get("SLURM_STEP_NUM_TASKS", nnodes)
    if tasks != nnodes:
        raise OperationError(
            f"facula run: expected one task of Slurm per machine, which starts --nproc processes; got {tasks} tasks on "
            f"{nnodes} machines; use srun --ntasks-per-node=1"
        )
    step = environment.get("SLURM_STEP_ID", "0")
    port = _FIRST_PORT + (int(job) + 101 * int(step if step.isdigit() else 0)) % _PORTS
    token = f"Slurm job {job}.{step} of user {environment.get('SLURM_JOB_UID', '')}"
    return Place(int(nnodes), int(node), first_of_list(names), port, token, 0, 0)


def first_of_list(text: str) -> str:
    """Return the first name of a list of Slurm.

    >>> first_of_list("gpu[007-010,12],login")
    'gpu007'
    """
    return names_of_list(text)[0]


def names_of_list(text: str) -> list[str]:
    """Return the names of a list of Slurm.

    >>> names_of_list("gpu[08-10,3]x,r[1-2]n[5,7],login")
    ['gpu08x', 'gpu09x', 'gpu10x', 'gpu3x', 'r1n5', 'r1n7', 'r2n5', 'r2n7', 'login']
    """
    found: list[str] = []
    for name in re.findall(r"(?:\[[^\]]*\]|[^,\[])+", text):
        parts = re.split(r"\[([^\]]*)\]", name)  # texts, and the contents of brackets between them
        choices = [_numbers(part) if place % 2 else [part] for place, part in enumerate(parts)]
        found += ["".join(choice) for choice in product(*choices)]
    return found


def _numbers(text: str) -> list[str]:
    found = []
    for part in text.split(","):
        start, _, end = part.partition("-")
        found += [f"{number:0{len(start)}}" for number in range(int(start), int(end or start) + 1)]
    return found


def host_name() -> str:
    """Return the name of this machine."""
    return socket.gethostname()


def difference(first: dict[str, Any], other: dict[str, Any]) -> str:
    """Say what two machines do not have in common; "" if all is well."""
    names = [f"node {one['node']} ({one['host']})" for one in (first, other)]
    if other.get("error"):
        return f"{names[1]}: {other['error']}"
    for name, what in _SAME.items():
        if first[name] != other.get(name):
            return f"expected {what} on all machines; got {first[name]} on {names[0]}, {other.get(name)} on {names[1]}"
    return ""
