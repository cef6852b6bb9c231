"""From the checks' results to passed, failed or unknown, with reasons."""
