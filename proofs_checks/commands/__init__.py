"""What `fedmm verify` and `fedmm certificate` do."""
