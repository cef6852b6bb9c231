"""Joins, crashes, suspicions, mastership claims."""
