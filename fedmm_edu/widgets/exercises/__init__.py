"""The exercises of the lessons, one module each; every solution and every slip is computed when it is asked for."""
