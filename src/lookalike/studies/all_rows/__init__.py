"""What a study says of all rows where only a sample of them is in memory.

See `survey.survey_all_rows`, `held_out.evaluate_all_rows`.
"""
