"""Effects of replays that stop with an error: those of the launches before it, as after an eager call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import LaunchError
from facula_storage.extend.memory import root_of

from .._recording.records import Address
from .._recording.rng_values import RngValue

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from .._recording.recording import Recording
    from .._recording.records import Launched, Moment
    from .lowering import Frame
    from .replay import Replay


def finish_failed(replay: Replay, frame: Frame, tensors: tuple[Tensor, ...], error: BaseException) -> None:
    """Advance versions and generators, set `.grad`s and repeat actions up to the launch that failed. Raise the error of
    its operator if the launch refused its arguments.

    Arguments:
        replay: the replay.
        frame: the memory and sequences of the run.
        tensors: its arguments, followed by the memory of graphs behind them.
        error: the error of the sequence.
    """
    replay.busy_flag.busy = False
    step, part, recording = frame.forward.failed_step(), frame.lowered.forward, frame.lowered.recording
    if step >= 0:  # otherwise a check raised, before any launch
        begun = [recording.launches[number] for number in part.steps[: step + 1] if isinstance(number, int)]
        _advance_versions(recording, begun[:-1] if isinstance(part.steps[step], int) else begun, tensors)
        _advance_generators(replay, recording, begun)
        if begun:
            _set_grads(recording, begun[-1].moment)
            for action in replay.actions[: begun[-1].moment[1]]:
                action()
    if type(error) is LaunchError:
        raise part.refused(error, replay.name) from None


def _advance_versions(recording: Recording, done: list[Launched], tensors: tuple[Tensor, ...]) -> None:
    """Advance the versions of storages that these launches wrote."""
    recorder = recording.recorder
    written = {part.block for launch in done for part in launch.arguments if type(part) is Address and part.written}
    inputs = {place for number in written for place in recorder.blocks[number].inputs}
    fixed = {id(storage) for number, storage in recording.fixed.items() if number in written}
    versions = recording.versions
    changed = [change for change in versions.changed if id(root_of(change.target)) in fixed]
    for change in versions.inputs:
        if change.target in inputs:
            changed.append(change._replace(target=tensors[change.target]._storage))
    for storage, number, operation, site in changed:
        storage.version, storage.mutator = storage.version + number, (operation, *site)


def _advance_generators(replay: Replay, recording: Recording, begun: list[Launched]) -> None:
    """Advance generators past the draws of these launches: to the beginning of the next draw, or to the end of all."""
    for place, (generator, count) in enumerate(zip(replay.generators, replay.drawn, strict=True)):
        drawn = _draws(begun, place)
        later = [start for start in _draws(recording.launches, place) if drawn and start > max(drawn)]
        if drawn and count is not None:
            generator._offset += min([*later, count])


def _draws(launches: list[Launched], place: int) -> list[int]:
    """Return the beginnings of the draws of a generator."""
    parts = [part for launch in launches for part in launch.arguments if type(part) is RngValue]
    return [part.delta for part in parts if part.source == 2 * place + 1]


def _set_grads(recording: Recording, moment: Moment) -> None:
    """Set the `.grad`s that were set before this moment.

    A `.grad` that is set again later is None in between: its memory is not preserved.
    """
    events, after = recording.recorder.grad_events, {id(leaf): value for leaf, value in recording.puts}
    again = {id(leaf) for leaf in events[moment[0] :]}
    for leaf in events[: moment[0]]:
        leaf._grad = None if id(leaf) in again else after.get(id(leaf))
