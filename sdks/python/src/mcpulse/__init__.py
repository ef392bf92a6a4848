"""MCPulse: analytics for MCP servers. It records sizes and hashes, and nothing else.

from mcpulse import watch

watch(server)  # the ingest key comes from MCPULSE_KEY
"""

from .options import AgreementOptions
from .recorder import Recorder, record
from .version import VERSION
from .watching import flush, watch
from .wire.payloads import Outcome, Policy

__version__ = VERSION

__all__ = [
    "VERSION",
    "AgreementOptions",
    "Outcome",
    "Policy",
    "Recorder",
    "flush",
    "record",
    "watch",
]
