"""What draws the panels and notices the mouse, in Textual."""
