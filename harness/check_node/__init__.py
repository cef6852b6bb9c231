"""`shaketable check-node`: whether a program keeps the contract, in a dozen trials and under a minute."""
