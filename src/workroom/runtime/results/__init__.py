"""Results: what `run()` returned, as JSON, and back.

Values that JSON has no word for travel in envelopes: objects with a `$type`, described in docs/results.md.
"""

from __future__ import annotations

from workroom.runtime.results.decoding import ResultFile, content_names, decode_result
from workroom.runtime.results.encoding import encode_result

__all__ = ["ResultFile", "content_names", "decode_result", "encode_result"]
