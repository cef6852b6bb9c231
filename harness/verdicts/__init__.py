"""From what the checks say to passed, failed or unknown, with the reasons."""
