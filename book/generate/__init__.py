"""What turns this repository into the sources of the course site: `python -m book`.

Hand-written pages are copied, everything that can be computed is generated, third-party scripts are fetched once and
checked. jupyter-book then builds the copy in `book/_build/source`: nothing generated lies beside what is written.
"""
