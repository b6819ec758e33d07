"""What the commands of `fedmm` do, one file a command; `terminal` and `plain` print for people."""
