"""A recorded run: its events, their files, their hash."""
