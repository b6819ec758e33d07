"""pfl 0.6 cannot be installed on Python 3.13 and later, where nothing of it is collected."""

import sys

collect_ignore = ["test_pfl.py"] if sys.version_info >= (3, 13) else []
