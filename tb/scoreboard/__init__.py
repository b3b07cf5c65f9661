"""The pyuvm side of the model: merge of all observations, judgement, logs."""

from tb.scoreboard.judge import Judge, JudgeProcess, Model
from tb.scoreboard.merge import Merge
from tb.scoreboard.scoreboard import Scoreboard, Tap

__all__ = ["Judge", "JudgeProcess", "Merge", "Model", "Scoreboard", "Tap"]
