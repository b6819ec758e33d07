"""What terminal, report and page share: tables, formulas in plain characters, progress."""
