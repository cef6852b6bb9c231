"""`shaketable explain`: what the nodes would decide, and why."""
