"""A run as it is kept: its events in order, as lines on disk, by a hash, and in words."""
