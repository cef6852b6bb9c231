"""A node as a process: its sockets, timers and log."""
