"""List the programs: `python -m facula.examples`."""

from importlib import import_module
from pkgutil import iter_modules

from . import __path__ as folders


def main() -> None:
    """Print the name and the summary of each program."""
    print("Run a program with: python -m facula.examples.NAME (--help lists its options)\n")
    for module in iter_modules(folders):
        if module.ispkg:
            summary = (import_module(f"{__package__}.{module.name}").__doc__ or "").partition("\n")[0]
            print(f"  {module.name:<10}{summary}")
    print("\nPrograms written for PyTorch: https://github.com/facula/facula/tree/main/examples")


if __name__ == "__main__":
    main()
