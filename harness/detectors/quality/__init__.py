"""How good a failure detector is: the measures of Chen, Toueg and Aguilera (2002), under many conditions."""
