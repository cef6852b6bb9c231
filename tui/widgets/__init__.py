"""What draws. A widget knows how a line is shown and where the mouse is, and nothing of clusters."""
