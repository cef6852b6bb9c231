"""Fault plans: a random story as plain data, which can be drawn, played, shrunk, and written as a chaos script."""
