"""`fedmm attack`: what the messages of a run say of the data that "stayed" on the nodes."""
