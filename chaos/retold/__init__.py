"""Stories of the other folders, with something else that happens."""
