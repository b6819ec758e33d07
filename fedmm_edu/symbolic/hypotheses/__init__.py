"""The rows of a model's check: MM-1, MM-2, A1, and where one may aggregate."""
