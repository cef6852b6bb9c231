"""Spark itself: set-up, start, and its messages in one sentence."""
