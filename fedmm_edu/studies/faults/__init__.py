"""A federation under faults: what it survives, as tables and pictures."""
