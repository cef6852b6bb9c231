"""Chooses a failure detector: the settings that are wrong seldom enough, and what they cost."""
