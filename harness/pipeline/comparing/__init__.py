"""Two stores side by side, with honest statistics."""
