"""Names of facula_cuda for sibling packages, in addition to the public API: the times of the devices' work."""

from ._backend.observation import WORK, ObservedWork, end_observation, observe_devices, take_work

__all__ = ["WORK", "ObservedWork", "end_observation", "observe_devices", "take_work"]
