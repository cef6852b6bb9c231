"""Stories of clusters that were split, and find each other again."""
