"""Speed, measured: `make bench`. Timing claims live here and not in the tests."""
