"""Stories of the cluster service: joins, crashes, suspicions, mastership claims."""
