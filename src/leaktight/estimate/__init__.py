"""From samples to statements that hold with a stated confidence, however the samples fell."""
