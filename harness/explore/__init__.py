"""`shaketable explore`: small worlds, explored whole."""
