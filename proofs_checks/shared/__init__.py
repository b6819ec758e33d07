"""What the checks of several sections use: exact algorithms, instances of MM, small tools."""
