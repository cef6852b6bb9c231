"""Random fault plans: drawn, played, shrunk, and written as scripts."""
