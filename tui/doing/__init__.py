"""What keys and clicks do. Each file is a part of the app."""
