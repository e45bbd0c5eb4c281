"""What is known about functions and methods of Python and its standard library: which only compute a value."""

from __future__ import annotations

import builtins


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Give a new scalar: nothing of the result is shared with the arguments.
SCALAR_BUILTINS = _words("""
    abs all any ascii bin bool bytes chr complex float format hash hex id int isinstance issubclass len oct ord pow
    range repr round slice str sum type
""")
# Only compute, but the result may hold what the arguments hold.
SHARING_BUILTINS = _words("dict divmod enumerate filter frozenset list map max min reversed set sorted tuple zip")
PURE_BUILTINS = SCALAR_BUILTINS | SHARING_BUILTINS
# May change anything by its name.
REACHING_BUILTINS = _words("__import__ breakpoint compile delattr eval exec globals locals setattr vars")

PURE_FUNCTIONS = _words("""
    copy.copy copy.deepcopy collections.Counter collections.OrderedDict collections.defaultdict collections.deque
    datetime.date datetime.date.fromisoformat datetime.datetime datetime.datetime.combine
    datetime.datetime.fromisoformat datetime.datetime.fromtimestamp datetime.datetime.strptime datetime.time
    datetime.timedelta decimal.Decimal fractions.Fraction html.escape html.unescape json.dumps json.loads
    os.path.basename os.path.dirname os.path.join os.path.normpath os.path.split os.path.splitext
    re.compile re.escape re.findall re.fullmatch re.match re.search re.split re.sub
    statistics.fmean statistics.mean statistics.median statistics.mode statistics.pstdev statistics.stdev
    string.capwords textwrap.dedent textwrap.shorten time.strptime unicodedata.normalize
    urllib.parse.quote urllib.parse.unquote urllib.parse.urlparse
""")
PURE_MODULES = ("math", "cmath", "operator")

# Methods of the builtin types that only compute. Other classes may have methods of these names that do more: the
# judge would see it.
SCALAR_METHODS = _words("""
    capitalize casefold center count decode encode endswith expandtabs find format format_map index isalnum isalpha
    isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip
    partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith
    strip swapcase title translate upper zfill
    as_integer_ratio bit_count bit_length conjugate hex is_integer quantize to_bytes
    date isocalendar isoformat isoweekday strftime time timestamp timetuple toordinal total_seconds weekday
    findall fullmatch group groupdict groups match search span sub
""")
SHARING_METHODS = _words("""
    copy difference get intersection isdisjoint issubset issuperset items keys most_common symmetric_difference union
    values
""")
PURE_METHODS = SCALAR_METHODS | SHARING_METHODS
# With fewer arguments these are methods of queues, threads and paths, and do something.
LEAST_ARGUMENTS = {"get": 1, "join": 1, "replace": 2}

# Change their object, but none of their arguments, and call nothing else.
KEEPING_METHODS = _words("""
    add append appendleft clear critical debug discard error extend extendleft flush info insert pop popitem popleft
    remove reverse rotate setdefault sort update warning write writelines
""")


# Nothing in these modules changes what it is given, though it may go through an iterator.
_KEEPING_MODULES = _words("""
    base64 collections copy datetime decimal fractions functools hashlib html itertools json math cmath operator os.path
    re statistics string struct textwrap time unicodedata urllib.parse
""")


def keeps_arguments(qualified: str) -> bool:
    """Tell whether a function of the standard library leaves its arguments as they are."""
    return any(qualified.startswith(f"{module}.") for module in _KEEPING_MODULES)


def is_pure_function(qualified: str) -> bool:
    """Tell whether a function, by its full name, only computes a value from its arguments."""
    owner, _, name = qualified.rpartition(".")
    if owner == "builtins":
        kind = getattr(builtins, name, None)
        return name in PURE_BUILTINS or (isinstance(kind, type) and issubclass(kind, BaseException))
    return qualified in PURE_FUNCTIONS or owner in PURE_MODULES
