"""`shaketable compare-detectors`: all failure detectors under the same faults."""
