"""The HTML report: its data, charts, page, and the assessment of the rollout."""
