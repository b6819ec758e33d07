"""`python -m fedmm_edu` is the command `fedmm`."""

from fedmm_edu.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
