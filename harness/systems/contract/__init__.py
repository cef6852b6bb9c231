"""Nodes in any language: whatever speaks the contract (node/process/contract.py) is a system under test.

`--system` names one by a command or a file: these two tell that from a name, without loading anything of it."""

from typing import Final

NODE: Final = "node:"
"""before a command"""
FILE: Final = ".toml"
