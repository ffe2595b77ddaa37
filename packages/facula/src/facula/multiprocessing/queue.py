"""Queues between processes, where programs for PyTorch look for them."""

from .._names import publish
from . import Queue, SimpleQueue

__all__ = ["Queue", "SimpleQueue"]

publish(__name__)
