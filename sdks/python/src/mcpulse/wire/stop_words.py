"""Words that say nothing about a tool."""

_WORDS = """
a about after all also an and any are as at be been before both but by can could do does
each either every for from had has have how i if in into is it its itself may me more most
must my no nor not of off on once only or other our out over own per shall she he should so
some such than that the their them then there these they this those through to too under
until up upon us very via was we were what when where whether which while who whom whose why
will with within without would you your yours
"""

STOP_WORDS = frozenset(_WORDS.split())
