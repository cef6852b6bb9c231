"""Stories of the other folders, told once more with something else that happens."""
