"""`shaketable explain`: what the algorithms decide for an input of one's own, and why."""
