"""The inner layer: the author's own code, which either ran or did not.

What is wrapped keeps its result, its exception and whether it is a coroutine function. Nothing here
refers to a watched server: which call the code runs for is known from the context.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any

from .call import NOT_RUN, RUNNING, UNSEEN, Call, serving

AsyncFunction = Callable[..., Awaitable[Any]]

MARK = "__mcpulse__"
"""What wrapped code carries, so that it is not wrapped again."""


def is_observed(code: Any) -> bool:
    """Whether this code is wrapped."""
    return getattr(code, MARK, False) is True


def observed_tool(
    author: AsyncFunction, passes: Callable[[dict[str, Any]], bool] | None = None
) -> Any:
    """Wraps what runs the author's tool; only the outermost run of a request is looked at.

    ``passes`` tells from its keyword arguments which run is only on the way to the tool.
    """

    async def run(*args: Any, **kwargs: Any) -> Any:
        call = _called(UNSEEN, NOT_RUN)
        if call is None or (passes is not None and passes(kwargs)):
            return await author(*args, **kwargs)
        call.tool = RUNNING
        try:
            value = await author(*args, **kwargs)
        except Exception as error:
            call.tool_raised(error)
            raise
        call.tool_returned(value)
        return value

    return _marked(run, author)


def _called(*stages: int) -> Call | None:
    call = serving.get()
    return call if call is not None and not call.done and call.tool in stages else None


def observed_function(function: Callable[..., Any], is_async: bool) -> Any:
    """Wraps the function of a tool, to know that it ran."""

    def note() -> None:
        call = serving.get()
        if call is not None:
            call.function_ran = True

    def run(*args: Any, **kwargs: Any) -> Any:
        note()
        return function(*args, **kwargs)

    async def run_async(*args: Any, **kwargs: Any) -> Any:
        note()
        return await function(*args, **kwargs)

    return _marked(run_async if is_async else run, function)


def _marked(wrapper: Any, wrapped: Any) -> Any:
    try:
        functools.update_wrapper(wrapper, wrapped)
    # A callable object may have members that cannot be read.
    except Exception:
        pass
    setattr(wrapper, MARK, True)
    return wrapper
