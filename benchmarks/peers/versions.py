"""Which versions are installed here: prints them as JSON.

python -m peers.versions NAME…
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version

if __name__ == "__main__":
    print(json.dumps({name: version(name) for name in sys.argv[1:]}))
