"""The scripts of this repository can be imported here: the benchmark counts and writes things that can be wrong."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3]))
