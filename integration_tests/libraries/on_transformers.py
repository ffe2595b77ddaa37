"""transformers: six models with small configurations, generation, Trainer, and checkpoints in a folder."""

import tempfile

import declared  # noqa: F401  before torchvision, which transformers imports
import numpy as np
import torch
import transformers
from recorded import draw, fill, generator, integers, output_of, record, record_gradients, run_model, write
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
    ViTConfig,
    ViTForImageClassification,
)  # fmt: skip

transformers.logging.set_verbosity_error()
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
ENDS = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}


def models():
    """Yield each model, newly built, with its inputs."""
    words, mask = integers("words", 90, 2, 7) + 3, torch.ones(2, 7, dtype=torch.int64)
    mask[1, 5:] = 0
    yield "bert", BertForSequenceClassification(BertConfig(vocab_size=99, **SMALL)), {
        "input_ids": words, "attention_mask": mask, "labels": integers("labels", 2, 2)
    }  # fmt: skip
    yield (
        "distilbert",
        DistilBertForMaskedLM(DistilBertConfig(vocab_size=99, dim=32, n_layers=2, n_heads=4, hidden_dim=64)),
        {"input_ids": words, "attention_mask": mask, "labels": words},
    )
    yield "gpt2", GPT2LMHeadModel(GPT2Config(vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=32, **ENDS)), {
        "input_ids": words, "attention_mask": mask, "labels": words
    }  # fmt: skip
    yield "llama", LlamaForCausalLM(LlamaConfig(vocab_size=99, num_key_value_heads=2, **SMALL, **ENDS)), {
        "input_ids": words, "attention_mask": mask, "labels": words
    }  # fmt: skip
    yield (
        "t5",
        T5ForConditionalGeneration(
            T5Config(
                vocab_size=99,
                d_model=32,
                d_kv=8,
                d_ff=64,
                num_layers=2,
                num_heads=4,
                decoder_start_token_id=0,
                dropout_rate=0.0,
            )
        ),
        {"input_ids": words, "attention_mask": mask, "labels": words[:, :4].contiguous()},
    )
    yield "vit", ViTForImageClassification(ViTConfig(image_size=32, patch_size=8, num_labels=3, **SMALL)), {
        "pixel_values": draw("images", 2, 3, 32, 32), "labels": integers("labels", 3, 2)
    }  # fmt: skip


for attention in ("eager", "sdpa"):
    for name, model, inputs in models():
        model.set_attn_implementation(attention)
        run_model(f"{name} {attention}", model, **inputs)

for name, model, inputs in models():
    fill(model, f"saved {name}")
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        again = type(model).from_pretrained(folder).eval()
    with torch.no_grad():
        first, second = model(**inputs), again(**inputs)
    assert torch.equal(output_of(first["logits"]), output_of(second["logits"])), name
    record(f"saved {name}", second["loss"])
    if name in ("gpt2", "llama", "t5"):
        words = {key: inputs[key] for key in ("input_ids", "attention_mask")}
        options = {"max_new_tokens": 8, "pad_token_id": 0, "eos_token_id": None}
        record(f"{name} greedy", model.generate(**words, do_sample=False, **options))
        record(f"{name} beams", model.generate(**words, num_beams=3, do_sample=False, **options))
        record(f"{name} without cache", model.generate(**words, use_cache=False, do_sample=False, **options))
        sampled = model.generate(**words, do_sample=True, top_k=5, top_p=0.9, temperature=0.7, **options)
        record(f"{name} sampled, shape", list(sampled.shape))


class Rows(torch.utils.data.Dataset):
    """Twelve rows with the shapes of a model's inputs, drawn one by one."""

    def __init__(self, inputs):
        self.inputs = inputs

    def __len__(self):
        return 12

    def __getitem__(self, place):
        random = generator(f"row {place}")
        row = {}
        for key, one in self.inputs.items():
            shape = tuple(one.shape[1:])
            if one.is_floating_point():
                row[key] = torch.from_numpy(random.standard_normal(shape).astype("float32"))
            elif key == "attention_mask":
                row[key] = torch.ones(shape, dtype=torch.int64)
            else:
                row[key] = torch.from_numpy(np.asarray(random.integers(0, 2 if not shape else 90, shape)))
        return row


def accuracy(found):
    """Return the share of correct answers, from the data that Trainer gathered."""
    logits = found.predictions[0] if isinstance(found.predictions, tuple) else found.predictions
    return {"accuracy": float((np.argmax(logits, -1) == found.label_ids).mean())}


def losses(trainer):
    """Return the losses that Trainer logged."""
    return [one["loss"] for one in trainer.state.log_history if "loss" in one]


for name, model, inputs in models():
    fill(model, f"trained {name}")
    rows = Rows(inputs)
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder, max_steps=6, per_device_train_batch_size=4, learning_rate=1e-3, logging_steps=1,
            save_steps=3, report_to=[], use_cpu=True, seed=0, data_seed=0, disable_tqdm=True, weight_decay=0.01,
            train_sampling_strategy="sequential",
        )  # fmt: skip
        trainer = Trainer(model, arguments, train_dataset=rows, eval_dataset=rows, compute_metrics=accuracy)
        trainer.train()
        record(f"losses of Trainer, {name}", losses(trainer))
        evaluated = trainer.evaluate()
        record(f"evaluated by Trainer, {name}", [evaluated["eval_loss"], evaluated["eval_accuracy"]])
        resumed = Trainer(model, arguments, train_dataset=rows)
        resumed.args.max_steps = 8
        resumed.train(resume_from_checkpoint=f"{folder}/checkpoint-6")
        record(f"losses after resuming, {name}", losses(resumed))
        record_gradients(f"trained {name}", model)
write()
