"""The terminal UI: what every node believes, on one screen."""
