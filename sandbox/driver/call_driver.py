"""The driver: makes calls of one function inside the sandbox and tells what each did and what it used.

Stdin holds the request (`afterburner.sandbox.calls.prepare_call` writes it): four bytes of length, a JSON header, the
source text, the blobs of the calls. Frames go to stdout, call by call, so that a crash loses only the rest:

    H  JSON: how the function is bound, the names of its parameters
    C  one call of the first pass: index, flags, CPU ns, start and end on CLOCK_MONOTONIC in ns, the encoded outcome
    T  the same without outcome, for a call of a later pass
    K  the bytes that the module has come to keep since it was loaded, where a watch was set
    W  JSON: what the calls have left changed or running, where a watch was set
    X  JSON: what kept the driver from going on; nothing follows
    E  the end, and the CPU ns that the process and its children have used until then

Nothing here is a secret from the code that is called: the host believes a time only as far as the meter bears it out.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import struct
import sys
import time
from json.encoder import encode_basestring_ascii as quote
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple

from . import (
    builtin_values,
    call_blobs,
    call_effects,
    call_events,
    call_files,
    calls_file,
    code_names,
    constructor_changes,
    copied_matches,
    encoded_text,
    encoding_parts,
    executed_modules,
    held_values,
    host_channel,
    late_modules,
    late_seeds,
    lazy_results,
    made_functions,
    module_sentinels,
    module_state,
    opened_files,
    stderr_text,
    taking_turns,
    tamper_seal,
    type_plans,
    user_module,
    value_encoder,
)

if TYPE_CHECKING:
    from types import ModuleType

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

DIFFERS, CHANCE = 1, 2  # flags of a frame: the outcome is not that of the first pass; it took of the system's chance
FORMAT = struct.Struct(">IBQQQ")
TOTAL = struct.Struct(">Q")
_ALWAYS_LOOKED_AT, _LOOKED_AT = 64, 16  # calls after which we see whether the driver was changed: it takes 0.1 ms
_LEAST = 100  # ns: neither does a clock tell less, nor is a call worth less
_ENDLESS = 10**12
_FIRST_LOOKS = 5  # at what a call takes by itself
_WARM_ROUNDS = 16  # of short calls: CPython 3.11 specialises code that ran eight times
_WARMING_NS = 20_000_000  # after which no round is begun
_EAGER = frozenset(map(id, (int, float, bool, str, bytes, list, tuple, dict, set, frozenset, type(None))))


class Request(NamedTuple):
    """What the host wants: see `afterburner.sandbox.calls`."""

    header: Dict[str, Any]
    source: str
    blobs: List[bytes]


class Clock:
    """Our own references to the clocks, taken before user code could replace them in their modules."""

    def __init__(self) -> None:
        self.cpu = time.process_time_ns
        self.wall = time.monotonic_ns
        self._usage = resource.getrusage
        self._children = resource.RUSAGE_CHILDREN

    def children_cpu(self) -> int:
        """CPU time of the child processes that were waited for, in ns."""
        used = self._usage(self._children)
        return int((used.ru_utime + used.ru_stime) * 1e9)


class Timed(NamedTuple):
    """One call: what came of it and what it used, in ns."""

    outcome: Any
    cpu: int
    start: int
    end: int


class _Made(NamedTuple):
    """A call that was made, the blob that it came from, and its outcome."""

    call: call_blobs.Call
    blob: bytes
    outcome: encoding_parts.Tree


def read_request(data: bytes) -> Request:
    """Take the request apart."""
    (length,) = struct.unpack_from(">I", data)
    header = json.loads(data[4 : 4 + length])
    position = 4 + length
    source = data[position : position + header["source_bytes"]].decode("utf-8", "surrogatepass")
    position += header["source_bytes"]
    blobs = []
    for size in header["call_bytes"]:
        blobs.append(data[position : position + size])
        position += size
    return Request(header, source, blobs)


class Driver:
    """Makes the calls of one request."""

    def __init__(
        self,
        request: Request,
        output: host_channel.Output,
        watch: Any = None,
        kept_bytes: Any = None,
        turns: Optional[taking_turns.Alone] = None,
    ) -> None:
        """Get ready.

        `watch` (a `process_watch.Watch`) is asked at the end what the calls have left changed, `kept_bytes` what the
        module keeps in memory. `turns` says when it is ours to go on, among other processes.
        """
        self._request = request
        self._output = output
        self._watch = watch
        self._kept_bytes = kept_bytes
        self._turns = turns or taking_turns.Alone()
        self._clock = Clock()
        self._fixed_clock = late_modules.load("fixed_clock").FixedClock() if request.header.get("fixed_clock") else None
        self._first: List[bytes] = []
        self._empty = self._empty_wall = _ENDLESS  # ns of CPU and of wall time that a call of nothing takes
        self._streams = (sys.stdout, sys.stderr)
        output.capture_errors()
        stderr_text.install()
        late_seeds.install()
        if self._fixed_clock is not None:
            self._fixed_clock.install()
        self._count_threads = sys.modules["_thread"]._count  # noqa: SLF001 - threading's own count can be fooled
        own = (
            *(builtin_values, call_blobs, call_effects, call_events, call_files, calls_file, code_names),
            *(constructor_changes, copied_matches, encoded_text, encoding_parts, executed_modules, held_values),
            *(host_channel, late_modules, late_seeds, lazy_results),
            *(made_functions, module_sentinels, module_state, opened_files, stderr_text, taking_turns, type_plans),
            value_encoder,
        )
        self._seal = tamper_seal.Seal([globals(), vars(self._clock), *map(vars, own)])
        self._if_changed = _incomparable("function", "the driver that makes the calls was changed by them")
        self._lazy = lazy_results.Drainer(self._written, (self._clock.cpu, self._clock.wall))
        self._lazy.most_items = request.header.get("most_items", lazy_results.DRAIN_LIMIT)
        self._lazy.breaks_off = bool(request.header.get("breaks_off"))
        self._effects: Optional[call_effects.Effects] = None

    def run(self) -> None:
        """Load the module, then make every call as often as asked for."""
        header = self._request.header
        if "async" in self._request.source:
            import asyncio  # noqa: F401, PLC0415 - slow to import, so not within the first call
        module, target = self._load()
        hello = {
            "kind": target.kind,
            "parameters": user_module.parameters(target.function),
            "load_cpu_ns": self._clock.cpu(),
        }
        self._send_json(b"H", hello)
        cold = module_state.ColdState(module) if header["cold_caches"] else None
        if header.get("known_names") is not None:
            self._effects = call_effects.Effects(module, header["known_names"], header["import_paths"])
        kept = self._kept_bytes(module) if self._watch is not None else 0
        states = [] if cold is None else [cold]
        for pass_number in range(header["passes"]):
            calls = self._decode_all()
            if pass_number == 0:
                self._begin(module, target, states)
            gc.collect()
            gc.freeze()  # so that collecting before each call looks only at what the calls left
            if self._watch is not None and pass_number == 0:
                self._watch.snapshot()
            for call in calls[:1] * _FIRST_LOOKS:
                self._time_nothing(call)
            self._turns.begin()
            for index, call in enumerate(calls):
                self._turns.next()
                for state in states:
                    state.restore()
                self._make(module, target, index, call, is_first=pass_number == 0)
                calls[index] = None
            self._turns.end()
        told = call_files.FILES.clear()
        if self._watch is not None:
            self._output.send(b"K", TOTAL.pack(max(self._kept_bytes(module) - kept, 0)))
            self._output.send(b"W", _array([*told, *self._watch.complaints()]))
        self._output.send(b"E", TOTAL.pack(self._clock.cpu() + self._clock.children_cpu()))

    def _begin(self, module: ModuleType, target: user_module.Resolved, states: List[module_state.ColdState]) -> None:
        """Remember what decoded calls have brought along; in a warm process, make each call before, unseen."""
        if calls_file.NAME in sys.modules:
            states.append(module_state.ColdState(sys.modules[calls_file.NAME]))
        until = self._clock.wall() + _WARMING_NS
        for _ in range(_WARM_ROUNDS if self._request.header.get("warm") else 0):
            self._warm(module, target, states)
            if self._clock.wall() > until:
                break

    def _warm(self, module: ModuleType, target: user_module.Resolved, states: List[module_state.ColdState]) -> None:
        for call in self._decode_all():
            for state in states:
                state.restore()
            self._lay_out(module, call)
            self._lazy.begin(lambda: None)
            self._time(target.function, call.args, call.kwargs)
            self._flush()
            self._output.take_printed()
            self._output.take_errors()

    def _load(self) -> Tuple[ModuleType, user_module.Resolved]:
        header = self._request.header
        try:
            module = user_module.load_target(
                header["module"], header["path"], self._request.source, header["import_paths"]
            )
            target = user_module.resolve(module, header["qualname"])
        except BaseException as error:  # noqa: BLE001 - importing runs user code, which may raise anything
            self._give_up("load", error)
        self._flush()
        self._output.take_printed()  # what importing prints is no part of a call
        self._output.tell(self._output.take_errors())
        return module, target

    def _decode_all(self) -> List[Any]:
        calls: List[Any] = []
        not_made: Dict[int, call_blobs.NotMade] = {}
        for index, blob in enumerate(self._request.blobs):
            try:
                calls.append(call_blobs.load_call(blob))
            except call_blobs.NotMade as error:
                not_made[index] = error
            except call_blobs.NotCopyable as error:
                self._give_up("arguments of call %d" % (index + 1), error)
        if not_made:
            self._give_up("constructor", next(iter(not_made.values())), list(not_made))
        return calls

    def _make(
        self, module: ModuleType, target: user_module.Resolved, index: int, call: call_blobs.Call, *, is_first: bool
    ) -> None:
        self._lay_out(module, call)
        gc.collect()
        threads = self._count_threads()
        self._lazy.begin(lambda: self._glance(module, call))
        # What measuring takes is measured, too, right before: that also brings the way there into the CPU's caches.
        self._time_nothing(call)
        args: Sequence[Any] = call.args
        kwargs = call.kwargs
        if self._effects is not None:
            args, kwargs = self._effects.begin(call)
        timed = self._time(target.function, args, kwargs)
        if self._effects is not None:
            self._effects.end()
        trouble = "it leaves threads running" if self._count_threads() > threads else None
        self._flush()
        if self._output.is_full():
            trouble = "it prints or writes more than the sandbox's disk holds"
        looks = index < _ALWAYS_LOOKED_AT or index % _LOOKED_AT == 0
        is_broken = looks and self._seal.is_broken()  # before what may have been replaced is used
        encoded, extra_cpu, extra_wall = self._encode(module, target.kind, call, timed.outcome)
        if self._effects is not None:
            made = _Made(call, self._request.blobs[index], timed.outcome)
            encoded = self._with_effects(self._effects, encoded, target, made)
        if trouble is not None:
            encoded = _incomparable(target.kind, trouble)
        if is_broken or (looks and self._lazy.has_drained and self._seal.is_broken()):
            encoded = self._if_changed
        cpu = max(timed.cpu - self._empty, _LEAST) + extra_cpu
        end = max(timed.end - self._empty_wall, timed.start + _LEAST) + extra_wall
        flags = CHANCE if self._fixed_clock is not None and self._fixed_clock.chance_was_read else 0
        if is_first:
            self._first.append(encoded)
            self._output.send(b"C", FORMAT.pack(index, flags, cpu, timed.start, end) + encoded)
        else:
            flags |= 0 if encoded == self._first[index] else DIFFERS
            self._output.send(b"T", FORMAT.pack(index, flags, cpu, timed.start, end))

    def _lay_out(self, module: ModuleType, call: call_blobs.Call) -> None:
        """Put in place what a call finds: files, the module's data, the state of chance and of the clock."""
        call_files.FILES.lay_out(call.files)
        module_state.restore_globals(module, call.globals, call.absent, [*call.args, *call.kwargs.values()])
        module_state.seed_random()
        stderr_text.forget_warnings()
        if self._fixed_clock is not None:
            self._fixed_clock.restart()

    def _time_nothing(self, call: call_blobs.Call) -> None:
        """See what a call takes by itself; the more often, the less likely it is that something came between."""
        empty = self._time(_nothing, call.args, call.kwargs)
        self._empty = min(self._empty, empty.cpu)
        self._empty_wall = min(self._empty_wall, empty.end - empty.start)

    def _time(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Dict[str, Any]) -> Timed:
        cpu_now, wall_now, settle, eager = self._clock.cpu, self._clock.wall, self._lazy.settle, _EAGER
        children = self._clock.children_cpu()
        start = wall_now()
        start_cpu = cpu_now()  # innermost: reading a clock takes as long as a small function
        try:
            result = function(*args, **kwargs)
            if id(type(result)) not in eager:
                result = settle(result)
            end_cpu = cpu_now()
            end = wall_now()
            outcome = encoding_parts.Tree("returned", result)
        except BaseException as error:  # noqa: BLE001 - whatever user code raises is the outcome, SystemExit too
            end_cpu = cpu_now()
            end = wall_now()
            outcome = encoding_parts.Tree("raised", error)
        cpu = end_cpu - start_cpu - self._lazy.paused_cpu + self._clock.children_cpu() - children
        return Timed(outcome, max(cpu, 0), start, max(end - self._lazy.paused_wall, start))

    def _encode(self, module: ModuleType, kind: str, call: call_blobs.Call, outcome: Any) -> Tuple[bytes, int, int]:
        """The bytes of the whole outcome, and the CPU and wall time of iterators that were run only inside it."""
        extra_cpu = extra_wall = 0

        def drain(iterator: Any) -> encoding_parts.Drained:
            nonlocal extra_cpu, extra_wall
            wall = self._clock.wall() - self._lazy.paused_wall
            cpu = self._clock.cpu() + self._clock.children_cpu() - self._lazy.paused_cpu
            drained: encoding_parts.Drained = self._lazy.drain_inner(iterator)
            extra_cpu += self._clock.cpu() + self._clock.children_cpu() - self._lazy.paused_cpu - cpu
            extra_wall += self._clock.wall() - self._lazy.paused_wall - wall
            return drained

        whole = encoding_parts.Tree(
            value_encoder.OUTCOME,
            kind,
            outcome,
            *_surroundings(module, call),
            encoding_parts.Later(self._take_printed),
            encoding_parts.Later(self._take_errors),
        )
        kind_of_encoder = (
            value_encoder.OpenEncoder if self._request.header.get("open_floats") else value_encoder.Encoder
        )
        encoder = kind_of_encoder(module.__name__, drain)
        try:
            encoded = encoder.encode(whole)
        except (value_encoder.TooLarge, MemoryError, RecursionError, RuntimeError) as error:
            reason = "%s: %s" % (type(error).__name__, str(error)[:200])
            return _incomparable(kind, reason), extra_cpu, extra_wall
        if encoder.opaque:
            encoded = encoded[:-1] + b"," + _opaque(*encoder.opaque) + b"]"
        return encoded, extra_cpu, extra_wall

    def _with_effects(
        self, effects: call_effects.Effects, encoded: bytes, target: user_module.Resolved, made: _Made
    ) -> bytes:
        """The encoded outcome, with what the call did beside returning, and what it does when it is made again."""
        if encoded.endswith(b"]]") and b'["opaque",' in encoded:
            return encoded  # it is comparable with no other as it is

        def make(other: call_blobs.Call) -> encoding_parts.Tree:
            module_state.seed_random()
            self._lazy.begin(lambda: None)
            outcome: encoding_parts.Tree = self._time(target.function, other.args, other.kwargs).outcome
            return outcome

        try:
            parts = [effects.encode(tree) for tree in effects.trees()]
            parts += [effects.encode(tree) for tree in effects.again(make, made.call, made.blob, made.outcome)]
        except (value_encoder.TooLarge, MemoryError, RecursionError, RuntimeError, call_blobs.NotCopyable) as error:
            return _incomparable(target.kind, "%s: %s" % (type(error).__name__, str(error)[:200]))
        finally:
            effects.put_back()
            self._flush()
            self._output.take_printed()
            self._output.take_errors()
        told = b",".join(parts).replace(b'["opaque",', b'["unseen",')  # in texts the quotes are escaped
        return encoded[:-1] + b',["effects",' + told + b"]]"

    def _glance(self, module: ModuleType, call: call_blobs.Call) -> Optional[str]:
        """A digest of what arguments and globals are now; None where floats may differ, or where they are large."""
        if self._request.header.get("open_floats"):
            return None
        encoder = value_encoder.Glance(module.__name__)
        try:
            return encoded_text.digest_of(
                encoder.encode(encoding_parts.Tree(value_encoder.OUTCOME, *_surroundings(module, call)))
            )
        except (value_encoder.TooLarge, MemoryError, RecursionError, RuntimeError):
            return None

    def _written(self) -> Tuple[int, int]:
        """How much the call has written to stdout and, as far as it counts, to stderr."""
        self._flush()
        printed, complained = self._output.sizes()
        return printed, len(self._errors_that_count(self._output.errors())) if complained else 0

    def _take_printed(self) -> str:
        self._flush()
        return self._output.take_printed().decode("utf-8", "surrogateescape")

    def _errors_that_count(self, written: bytes) -> str:
        return stderr_text.normalised(written, self._request.header["path"]) if written else ""

    def _take_errors(self) -> str:
        """What the call wrote to stderr, as far as it counts; the host's report shows all of it."""
        written = self._output.take_errors()
        self._output.tell(written)
        return self._errors_that_count(written)

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr, *self._streams):
            try:
                stream.flush()
            except Exception:  # noqa: BLE001, S112 - user code may have closed or replaced it
                continue

    def _send_json(self, kind: bytes, value: Dict[str, Any]) -> None:
        self._output.send(kind, json.dumps(value).encode("ascii"))

    def _give_up(self, stage: str, error: BaseException, calls: Sequence[int] = ()) -> NoReturn:
        import traceback  # noqa: PLC0415 - takes a while to import, and is of use only here

        lines = traceback.format_exception(type(error), error, error.__traceback__)
        self._output.tell(self._output.take_errors() + "".join(lines)[-8000:].encode("utf-8", "backslashreplace"))
        is_ours = type(error) in (call_blobs.NotCopyable, call_blobs.NotMade)
        message = str(error) if is_ours else "".join(traceback.format_exception_only(type(error), error)).strip()
        self._send_json(
            b"X", {"stage": stage, "type": type(error).__name__, "message": message[-2000:], "calls": calls}
        )
        os._exit(1)


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """What is called to see how long a call takes by itself."""


def _array(texts: List[str]) -> bytes:
    """The texts as JSON; the calls may have replaced what the module json has for that."""
    return ("[" + ",".join(map(quote, texts)) + "]").encode("ascii")


def _incomparable(kind: str, reason: str) -> bytes:
    return b'["outcome",%s,%s,%s]' % (quote(kind).encode("ascii"), _opaque(reason), _opaque(reason))


def _opaque(*names: str) -> bytes:
    return ('["opaque",%s]' % ",".join(map(quote, names))).encode("ascii")


def _surroundings(module: ModuleType, call: call_blobs.Call) -> List[encoding_parts.Tree]:
    """What a call may have changed: its arguments, and the module's data that it touches."""
    tree = encoding_parts.Tree
    names = [*call.globals, *call.absent]
    return [
        tree("args", *call.args),
        tree("kwargs", *(tree("named", name, call.kwargs[name]) for name in sorted(call.kwargs))),
        tree("globals", *(tree("named", name, *_held(module, name)) for name in sorted(names))),
    ]


def _held(module: ModuleType, name: str) -> Tuple[Any, ...]:
    return (vars(module)[name],) if name in vars(module) else ()


def main() -> None:
    """Serve one request, then leave at once: without the program's exit handlers and threads."""
    output = host_channel.take_output()
    request = read_request(host_channel.read_request())
    host_channel.leave_import_path()
    host_channel.leave_modules()
    Driver(request, output).run()
    os._exit(0)
