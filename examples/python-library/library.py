"""A library's MCP server on stdio. The one line about MCPulse is `watch(server, …)`."""

import os
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcpulse import watch

BOOKS = [
    {"id": "B-1", "title": "The Left Hand of Darkness", "author": "Le Guin", "copies": 2},
    {"id": "B-2", "title": "The Dispossessed", "author": "Le Guin", "copies": 0},
    {"id": "B-3", "title": "Kindred", "author": "Butler", "copies": 1},
]

server = MCPServer("library")


@server.tool()
def search_books(author: str | None = None, title: str | None = None) -> list[dict[str, Any]]:
    """Search books by author or by a part of the title."""
    return [
        book
        for book in BOOKS
        if (author is None or book["author"] == author)
        and (title is None or title.lower() in str(book["title"]).lower())
    ]


@server.tool()
def get_book(id: str) -> dict[str, Any]:
    """Show one book."""
    for book in BOOKS:
        if book["id"] == id:
            return book
    raise ToolError(f"There is no book {id}.")


@server.tool()
async def get_availability(id: str) -> dict[str, Any]:
    """Show how many copies of a book are in."""
    # A bug, to see what a crash looks like: there may be no such book.
    book = next(book for book in BOOKS if book["id"] == id)
    return {"book": id, "in": book["copies"]}


watch(
    server,
    debug=os.environ.get("MCPULSE_DEBUG") == "1",
    # How many copies there are should be the same wherever it is read.
    agreements={"copies": {"tools": {"get_book": "/copies", "get_availability": "/in"}}},
)

if __name__ == "__main__":
    server.run()
