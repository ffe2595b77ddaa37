"""What a report of an error should say of the machine: `python -m facula.utils.collect_env`."""

from __future__ import annotations

from .. import __config__
from .._lookup.names import publish

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """Versions, kernels and threads, a line each."""
    return f"{__config__.show()}{__config__.parallel_info()}"


def main() -> None:
    """Print it."""
    print(get_pretty_env_info())


publish(__name__)

if __name__ == "__main__":
    main()
