"""Attaching to servers of the MCP SDKs, without importing any of them."""
