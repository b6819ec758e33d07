"""The functions that judge the claims, by topic; each judges one form of a statement, printed, amended or mutated."""
