"""Makes small language models on the spot, as folders that any engine can load: `python make.py FOLDER ANSWER.txt`.

`good` says the one answer of the file, whatever it is asked. Its vocabulary holds the answer's pieces, and its weights
are set so that each piece brings the next: what a trained model does, without the training. `random` has the weights
that it was born with and says garbage. `adapter` is a LoRA adapter on `random`, as PEFT saves it.
"""

import itertools
import sys
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

END, ASSISTANT = "<|end|>", "<|assistant|>"
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
PIECE_CHARS = 40


def make_tokenizer(pieces: list[str]) -> PreTrainedTokenizerFast:
    """Bytes, the marks of a chat, and the pieces of the answer."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={byte: number for number, byte in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([END, "<|system|>", "<|user|>", ASSISTANT])
    tokenizer.add_tokens([AddedToken(piece, normalized=False) for piece in pieces])
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END, chat_template=TEMPLATE)


def make_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    torch.manual_seed(0)
    end = tokenizer.eos_token_id
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=32768,
        tie_word_embeddings=False,
        eos_token_id=end,
        pad_token_id=end,
        bos_token_id=None,
    )
    model = LlamaForCausalLM(config)
    model.generation_config = GenerationConfig(do_sample=True, max_new_tokens=1024, eos_token_id=end, pad_token_id=end)
    return model


def teach(model: LlamaForCausalLM, chain: list[int]) -> None:
    """Let each token of the chain bring the next, and nothing that came before have a say."""
    layer = model.model.layers[0]
    with torch.no_grad():
        layer.self_attn.o_proj.weight.zero_()
        layer.mlp.down_proj.weight.zero_()
        model.lm_head.weight.zero_()
        directions = torch.nn.functional.normalize(model.model.embed_tokens.weight, dim=1)
        for token, following in itertools.pairwise(chain):
            model.lm_head.weight[following] += 10 * directions[token]


def main(folder: Path, answer: str) -> None:
    pieces = [answer[start : start + PIECE_CHARS] for start in range(0, len(answer), PIECE_CHARS)]
    assert len(set(pieces)) == len(pieces), "a piece that comes twice could be followed by either"
    tokenizer = make_tokenizer(pieces)
    for name in ("random", "good"):
        model = make_model(tokenizer)
        if name == "good":
            teach(model, tokenizer.convert_tokens_to_ids([ASSISTANT, *pieces, END]))
        model.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    base = LlamaForCausalLM.from_pretrained(folder / "random")
    get_peft_model(base, LoraConfig(r=12, target_modules=["q_proj", "v_proj"])).save_pretrained(folder / "adapter")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]).read_text("utf-8"))
