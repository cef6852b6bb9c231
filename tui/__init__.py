"""The terminal UI: what every node believes, on one screen. Not built yet."""
