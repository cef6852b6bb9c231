"""Nodes in any language: whatever speaks the contract (node/process/contract.py) is a system under test."""
