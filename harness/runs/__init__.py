"""A run of one script: played in a world, recorded in a folder, judged."""
