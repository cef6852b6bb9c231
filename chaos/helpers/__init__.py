"""What several stories share; there is no story in here."""
