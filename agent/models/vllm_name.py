"""What `vllm:<path>` names: a base model, an adapter on it, and how much the engine may read and write.

vllm:models/mine                                 a model's folder
vllm:Qwen/Qwen2.5-3B-Instruct                    a model of the hub, or of its cache
vllm:models/base?lora=checkpoints/dpo            a LoRA adapter on a base
vllm:checkpoints/dpo                             an adapter's folder, which names its base itself
vllm:models/mine?max_model_len=16384&max_tokens=4096
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import UnknownModelError

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_TOKENS = 8192  # of one answer, as in the paper's training
_LORA_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # what vLLM's LoRAConfig takes as max_lora_rank
_OPTIONS = ("lora", "max_model_len", "max_tokens")
_ADAPTER_CONFIG = "adapter_config.json"
_TOKENIZER_CONFIG = "tokenizer_config.json"


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter in the form that PEFT writes."""

    folder: str  # absolute
    base: str  # the model that it was trained on, as its configuration says
    max_rank: int  # the smallest that vLLM offers and that holds it

    @property
    def has_tokenizer(self) -> bool:
        """Whether the tokenizer that it was trained with lies beside it."""
        return (Path(self.folder) / _TOKENIZER_CONFIG).is_file()


@dataclass(frozen=True, slots=True)
class EngineModel:
    """What the engine is to load."""

    base: str  # a folder, absolute, or a name on the hub
    adapter: Adapter | None = None
    max_model_len: int | None = None  # tokens of prompt and answer together; None: what the model was made for
    max_tokens: int = MAX_TOKENS  # of one answer


def parse_engine_model(text: str) -> EngineModel:
    """Read what follows `vllm:`.

    Raises:
        UnknownModelError: there is no such folder, the adapter cannot be read, or an option is unknown.
    """
    path, _, query = text.partition("?")
    options = _read_options(text, query)
    if not path:
        raise UnknownModelError("vllm: names no model. Write vllm:<folder>, or vllm:<base>?lora=<folder>.")
    adapter = None
    if "lora" in options:
        adapter = read_adapter(Path(options["lora"]))
    elif (Path(path).expanduser() / _ADAPTER_CONFIG).is_file():
        adapter = read_adapter(Path(path))
        path = adapter.base
    return EngineModel(
        base=_base(path, adapter),
        adapter=adapter,
        max_model_len=_count(options, "max_model_len"),
        max_tokens=_count(options, "max_tokens") or MAX_TOKENS,
    )


def anchored(text: str, place_of: Callable[[str], str]) -> str:
    """What follows `vllm:`, said so that it means the same in another folder; `place_of` makes a path absolute.

    A name of the hub stays as it is where no folder of that name was.
    """
    path, mark, query = text.partition("?")
    if path and (Path(place_of(path)).exists() or not _may_be_on_hub(path)):
        path = place_of(path)
    options = [option.partition("=") for option in query.split("&")]
    told = (f"{key}{sign}{place_of(value) if key == 'lora' and value else value}" for key, sign, value in options)
    return f"{path}{mark}{'&'.join(told)}"


def read_adapter(folder: Path) -> Adapter:
    """Read an adapter's configuration.

    Raises:
        UnknownModelError: the folder holds no LoRA adapter, or one that vLLM cannot load.
    """
    folder = folder.expanduser().absolute()
    config = _read_json(folder / _ADAPTER_CONFIG)
    kind, base = config.get("peft_type"), config.get("base_model_name_or_path")
    if kind != "LORA":
        raise UnknownModelError(f"{folder} holds an adapter of type {kind}, and vLLM loads LORA alone. Merge it.")
    if not isinstance(base, str) or not base:
        raise UnknownModelError(f"{folder / _ADAPTER_CONFIG} names no base model. Write vllm:<base>?lora={folder}.")
    ranks = [config.get("r"), *dict(config.get("rank_pattern") or {}).values()]
    rank = max((each for each in ranks if isinstance(each, int)), default=0)
    fitting = [each for each in _LORA_RANKS if each >= rank]
    if rank < 1 or not fitting:
        raise UnknownModelError(f"{folder} has rank {rank}, and vLLM takes 1 to {_LORA_RANKS[-1]}. Merge the adapter.")
    return Adapter(str(folder), base, fitting[0])


def _base(path: str, adapter: Adapter | None) -> str:
    """Give the folder of a model, or its name on the hub.

    A name of the hub looks like a relative path of one or two parts; what cannot be one has to be there.
    """
    folder = Path(path).expanduser()
    if (folder / "config.json").is_file():
        return str(folder.absolute())
    said = f" (the base that {adapter.folder} names)" if adapter is not None and path == adapter.base else ""
    advice = " Name its folder: vllm:<folder>?lora=<adapter>." if said else ""
    if folder.exists():
        raise UnknownModelError(f"{folder}{said} holds no model: it has no config.json.{advice}")
    if not _may_be_on_hub(path):
        raise UnknownModelError(f"No such model: {folder}{said}.{advice}")
    return path


def _may_be_on_hub(path: str) -> bool:
    folder = Path(path).expanduser()
    return not (folder.is_absolute() or path.startswith(".") or len(folder.parts) > 2)


def _read_options(text: str, query: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, _, value = part.partition("=")
        if key not in _OPTIONS:
            near = difflib.get_close_matches(key, _OPTIONS, n=1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise UnknownModelError(f"vllm:{text} has an unknown option {key!r}.{meant} Known: {', '.join(_OPTIONS)}.")
        if not value:
            raise UnknownModelError(f"vllm:{text} gives no value to {key}.")
        options[key] = value
    return options


def _count(options: dict[str, str], key: str) -> int | None:
    value = options.get(key)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise UnknownModelError(f"{key}={value}: give a number of tokens, at least 1.")
    return int(value)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise UnknownModelError(f"No LoRA adapter in {path.parent}: there is no {path.name}.") from None
    except (OSError, ValueError) as error:
        raise UnknownModelError(f"{path} cannot be read: {error}.") from None
    if not isinstance(found, dict):
        raise UnknownModelError(f"{path} is not an adapter's configuration.")
    return found
