"""Failure detectors on real processes: those of a system that others wrote, beside ours, by the same measures."""
