"""`shaketable compare-detectors`: one workload of faults under every failure detector of a group."""
