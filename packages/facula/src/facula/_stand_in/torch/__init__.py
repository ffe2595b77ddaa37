"""What `import torch` finds in programs that `python -m facula run` runs, and in their children: facula."""

from facula._interop.aliases import install

if __name__ == "torch":  # and not while somebody walks over facula's modules
    install()
