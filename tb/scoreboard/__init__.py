"""The pyuvm side of the model: merge of all observations, judgement, logs."""

from tb.scoreboard.merge import Merge
from tb.scoreboard.scoreboard import Scoreboard, Tap

__all__ = ["Merge", "Scoreboard", "Tap"]
