"""The process that runs a world for the screens, and the pipe to it."""
