"""The two worlds that a script runs in, with the same names in both."""
