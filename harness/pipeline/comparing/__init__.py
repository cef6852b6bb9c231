"""Two stores side by side, with statistics."""
