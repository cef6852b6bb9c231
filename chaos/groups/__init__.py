"""Stories of groups, under each of their policies."""
