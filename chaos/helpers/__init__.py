"""What several stories share."""
