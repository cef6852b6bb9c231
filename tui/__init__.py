"""The terminal UI: what every node believes."""
