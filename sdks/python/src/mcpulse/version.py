"""The version of this package, as it is sent."""

VERSION = "0.1.0"
SDK = f"mcpulse-python/{VERSION}"
