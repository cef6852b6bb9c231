"""Groups, under each of their policies."""
