"""Stores of runs: what is in them, how runs get in, and how they are judged where they lie."""
