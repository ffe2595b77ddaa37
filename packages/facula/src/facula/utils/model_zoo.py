"""Weights in the cache folder, by their older name: `hub.load_state_dict_from_url`."""

from .._names import publish
from ..hub import load_state_dict_from_url

__all__ = ["load_url"]

load_url = load_state_dict_from_url

publish(__name__)
