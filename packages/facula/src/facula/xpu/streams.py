"""Streams of XPU devices, where programs for PyTorch look for them."""

from .._names import publish
from . import Event, Stream

__all__ = ["Event", "Stream"]

publish(__name__)
