"""Stores: how runs get in, and how they are judged there."""
