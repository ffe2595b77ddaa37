"""Elementwise operators: loops and programs of them over any strides, copies, and moves that consist of copies."""

from . import copy as copy
from . import moves as moves
