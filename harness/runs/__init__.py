"""A run of one script: played, recorded, judged."""
