"""Spark itself: how it is set up, found, started, given our code, and understood when it complains."""
