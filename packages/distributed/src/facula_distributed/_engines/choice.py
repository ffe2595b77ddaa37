"""The choice of the engine of a group."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from .._board.member import Member
from .mpi import MpiMember
from .shm import SharedMember
from .two_level import TwoLevelMember

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._board.world import World


def new_member(world: World, group: int, ranks: Sequence[int], timeout: float, is_mpi: bool = False) -> Member:
    """Return this rank's part in a group.

    Shared memory is for ranks of one machine, unless `is_mpi`; both levels for ranks of several, of which each has its
    ranks one after the other, and one has two; and MPI alone for others.

    Arguments:
        world: all ranks.
        group: the group's number.
        ranks: the ranks of its members.
        timeout: seconds for which a collective waits for other ranks.
        is_mpi: whether ranks of one machine use it, too.
    """
    machines = [machine for machine, _ in groupby(world.nodes[rank] for rank in ranks)]
    is_one = len(set(machines)) == 1
    mpi = world.mpi
    if mpi is None or len(ranks) == 1 or (is_one and not is_mpi):
        return SharedMember(world, group, ranks, timeout)
    if is_one or len(machines) == len(ranks) or len(set(machines)) < len(machines):
        return MpiMember(world, group, ranks, timeout, mpi)
    return TwoLevelMember(world, group, ranks, timeout, mpi)
