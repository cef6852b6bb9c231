"""What is shown: functions of a session and a size, in lines of text."""
