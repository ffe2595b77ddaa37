"""Information about the machine for bug reports: `python -m facula.utils.collect_env`."""

from __future__ import annotations

from .. import __config__
from .._lookup.names import publish

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """Return versions, kernels and threads, one per line."""
    return f"{__config__.show()}{__config__.parallel_info()}"


def main() -> None:
    """Print the information."""
    print(get_pretty_env_info())


publish(__name__)

if __name__ == "__main__":
    main()
