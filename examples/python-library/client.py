"""Plays a short conversation with the library."""

import asyncio
import os
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

CALLS = [
    ("search_books", {"author": "Le Guin"}),
    ("search_books", {"author": "Nobody"}),
    ("get_book", {"id": "B-1"}),
    ("get_availability", {"id": "B-1"}),
    ("get_book", {"id": "B-9"}),
    ("get_availability", {"id": "B-9"}),
    ("get_book", {}),
]


async def main() -> None:
    library = str(Path(__file__).with_name("library.py"))
    server = StdioServerParameters(command=sys.executable, args=[library], env=dict(os.environ))
    async with Client(server) as client:
        for tool, arguments in CALLS:
            result = await client.call_tool(tool, arguments)
            answer = result.content[0].text.splitlines()[0] if result.content else "nothing"
            print(f"{tool} {arguments} -> {'error: ' if result.is_error else ''}{answer}")


asyncio.run(main())
