"""The package that `import torch` loads in programs under `python -m facula run`, and in their children: facula."""

from facula._interop.aliases import install

if __name__ == "torch":  # and not while a caller iterates over facula's modules
    install()
