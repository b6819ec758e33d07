"""The functions of the model language, one entry each in `table`; `faces` says what an entry must tell."""
