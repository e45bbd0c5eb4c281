"""The numbers of the paper's tables, as printed: percentages, with 95% intervals where the paper has them.

Source: "Afterburner: Reinforcement Learning Facilitates Self-Improving Code Efficiency Optimization", NeurIPS 2025,
arXiv 2505.23387. Figure 5 is a picture without numbers: what is known of its curves is in `rebuttal_numbers`.

The paper's intervals are those of a mean over resampled runs of one solution: far narrower than ours, which resample
problems, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.evals.report.measures import BEYOND_I, BEYOND_M, BEYOND_T, PASSING, Score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.evals.report.measures import Measure

QWEN_3B, QWEN_CODER_7B, QWEN_7B = "Qwen 2.5 3B", "Qwen 2.5 Coder 7B", "Qwen 2.5 7B Instruct"
LLAMA, DEEPSEEK, QWQ = "Llama 4 Scout", "DeepSeek V3", "QwQ 32B"
GPT_4O, HAIKU, SONNET, O4_MINI = "GPT-4o", "Claude 3.5 Haiku", "Claude 3.7 Sonnet", "OpenAI o4-mini"
SFT, DPO, GRPO = "Afterburner-SFT", "Afterburner-DPO", "Afterburner-GRPO"
VENUS, APPS, MERCURY, LIVECODEBENCH = "venus", "apps", "mercury", "livecodebench"

TABLE_1_SOURCE = "Table 1 of the paper: Venus (Python), 300 problems"
TABLE_9_SOURCE = "Table 9 of the paper: APPS"
TABLE_2_SOURCE = (
    "Table 2 of the paper. It names no iteration; its Pass@1 of GRPO is the one of iteration 4 in the rebuttal"
)
TABLE_3_SOURCE = (
    "Table 3 of the paper. Its text says 8 iterations for GRPO; the share of failures is the one of iteration 10 in "
    "Table 1"
)
TUNED_ITERATION = 10  # of the rows of the tuned models in Table 1
ABLATION_ITERATION = 4  # see TABLE_2_SOURCE


def _row(passed: float, *beyond: tuple[float, float, float]) -> Mapping[Measure, Score]:
    scores = (Score(value, low, high) for value, low, high in beyond)
    return {PASSING: Score(passed), **dict(zip((BEYOND_T, BEYOND_M, BEYOND_I), scores, strict=True))}


# Model, of its first code where it is not tuned.
TABLE_1: Mapping[str, Mapping[Measure, Score]] = {
    QWEN_3B: _row(27.99, (12.40, 12.35, 12.45), (13.24, 13.21, 13.28), (10.29, 10.24, 10.34)),
    QWEN_CODER_7B: _row(52.21, (20.66, 20.61, 20.71), (25.21, 25.16, 25.26), (16.78, 16.74, 16.83)),
    QWEN_7B: _row(60.78, (27.67, 27.61, 27.73), (29.79, 29.73, 29.85), (21.02, 20.98, 21.07)),
    LLAMA: _row(62.82, (33.10, 33.03, 33.16), (38.22, 38.17, 38.26), (26.91, 26.86, 26.95)),
    DEEPSEEK: _row(86.33, (48.66, 48.57, 48.75), (51.20, 51.15, 51.25), (39.20, 39.13, 39.26)),
    QWQ: _row(83.09, (51.09, 51.03, 51.16), (45.22, 45.16, 45.27), (41.66, 41.61, 41.70)),
    GPT_4O: _row(82.26, (38.22, 38.15, 38.29), (42.09, 42.04, 42.15), (28.89, 28.84, 28.95)),
    HAIKU: _row(66.45, (38.82, 38.75, 38.89), (37.77, 37.71, 37.82), (30.15, 30.10, 30.20)),
    SONNET: _row(86.52, (52.19, 52.10, 52.27), (49.86, 49.81, 49.92), (40.49, 40.43, 40.55)),
    O4_MINI: _row(89.11, (56.85, 56.77, 56.93), (53.41, 53.35, 53.46), (45.71, 45.66, 45.77)),
    SFT: _row(48.67, (26.78, 26.72, 26.91), (25.30, 25.25, 25.41), (22.50, 22.41, 22.67)),
    GRPO: _row(61.67, (45.17, 45.08, 45.30), (48.05, 47.96, 48.26), (38.95, 38.89, 39.17)),
}
TABLE_9: Mapping[str, Mapping[Measure, Score]] = {
    QWEN_3B: _row(9.67, (5.10, 5.06, 5.13), (5.48, 5.45, 5.51), (3.80, 3.78, 3.83)),
    QWEN_CODER_7B: _row(16.00, (9.30, 9.25, 9.34), (8.79, 8.75, 8.83), (6.81, 6.78, 6.85)),
    QWEN_7B: _row(17.00, (9.65, 9.59, 9.70), (9.33, 9.29, 9.37), (7.28, 7.24, 7.32)),
    LLAMA: _row(47.67, (24.85, 24.78, 24.92), (27.96, 27.90, 28.03), (18.22, 18.17, 18.28)),
    QWQ: _row(69.62, (35.59, 35.51, 35.68), (37.84, 37.75, 37.93), (27.32, 27.26, 27.39)),
    GPT_4O: _row(46.23, (26.30, 26.24, 26.37), (26.47, 26.41, 26.53), (19.76, 19.71, 19.82)),
    HAIKU: _row(36.67, (13.63, 13.57, 13.69), (20.96, 20.91, 21.01), (10.74, 10.70, 10.77)),
    SONNET: _row(45.63, (21.68, 21.61, 21.75), (25.76, 25.70, 25.81), (15.75, 15.69, 15.81)),
    DEEPSEEK: _row(56.63, (31.58, 31.49, 31.66), (31.42, 31.35, 31.49), (23.20, 23.13, 23.27)),
    O4_MINI: _row(78.81, (40.07, 39.98, 40.15), (41.00, 40.93, 41.07), (28.76, 28.69, 28.82)),
}


def _plain(passed: float, time: float, memory: float, integral: float) -> Mapping[Measure, Score]:
    return {PASSING: Score(passed), BEYOND_T: Score(time), BEYOND_M: Score(memory), BEYOND_I: Score(integral)}


# Model, then what it is told: as `--tell` says it.
TABLE_2: Mapping[str, Mapping[str, Mapping[Measure, Score]]] = {
    SFT: {
        "paper": _plain(48.33, 26.61, 24.39, 22.25),
        "no-feedback": _plain(46.33, 25.41, 24.70, 21.43),
        "no-original": _plain(45.33, 25.64, 26.17, 20.08),
    },
    DPO: {
        "paper": _plain(51.67, 28.45, 28.03, 27.89),
        "no-feedback": _plain(50.33, 27.33, 26.73, 25.68),
        "no-original": _plain(47.33, 25.32, 24.17, 22.01),
    },
    GRPO: {
        "paper": _plain(57.00, 40.81, 40.68, 33.51),
        "no-feedback": _plain(52.51, 34.15, 34.49, 29.87),
        "no-original": _plain(54.17, 32.17, 33.25, 24.24),
    },
}
# Model, then B, M, W and F of the time, of the memory and of the integral.
TABLE_3: Mapping[str, tuple[float, ...]] = {
    QWEN_3B: (0.67, 27.00, 0.33, 72.00, 0.33, 27.33, 0.33, 72.00, 0.67, 26.67, 0.67, 72.00),
    QWEN_CODER_7B: (1.33, 50.67, 0.33, 47.67, 0.67, 50.67, 1.00, 47.67, 1.33, 50.67, 0.33, 47.67),
    QWEN_7B: (1.67, 58.33, 0.67, 39.33, 1.00, 58.33, 1.33, 39.33, 1.33, 58.00, 1.67, 39.33),
    LLAMA: (3.00, 59.33, 0.33, 37.33, 2.00, 60.67, 0.33, 37.33, 1.67, 60.67, 0.67, 37.33),
    DEEPSEEK: (5.33, 80.67, 0.67, 13.67, 3.33, 82.67, 0.33, 13.67, 3.00, 81.67, 1.67, 13.67),
    QWQ: (6.67, 76.00, 0.33, 17.00, 2.33, 79.67, 1.00, 17.00, 3.33, 79.00, 1.00, 17.00),
    GPT_4O: (2.33, 79.00, 1.00, 17.67, 1.33, 79.00, 1.67, 17.67, 1.33, 79.67, 1.33, 17.67),
    HAIKU: (4.67, 61.67, 0.33, 33.67, 2.00, 64.00, 0.33, 33.67, 2.67, 63.33, 0.67, 33.67),
    SONNET: (5.67, 80.67, 0.33, 13.33, 2.67, 83.33, 0.33, 13.33, 3.33, 82.00, 1.00, 13.33),
    O4_MINI: (7.00, 82.00, 0.00, 11.00, 3.33, 85.33, 0.67, 11.00, 4.00, 84.33, 0.67, 11.00),
    GRPO: (8.00, 46.33, 7.33, 38.33, 7.00, 44.33, 10.33, 38.33, 5.33, 46.00, 10.00, 38.33),
}
