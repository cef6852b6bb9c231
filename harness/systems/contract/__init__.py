"""Nodes in any language: whatever speaks the contract (node/process/contract.py) is a system under test."""

from typing import Final

FILE: Final = ".toml"
"""ends the name of a system that such a file describes"""
