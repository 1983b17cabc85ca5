"""Studies of the tests are quick: most tests compare other things than how well models do."""


def make_studies_quick():
    """Hold out 3 folds once, not 5 thrice, with few trees, centers, steps and bootstrap draws.

    Nothing is compared with references, and how long a search takes is measured once.
    """
    from lookalike.index import plan
    from lookalike.studies.analyze import structure
    from lookalike.studies.evaluate import held_out
    from lookalike.studies.select import (
        boosted_candidate,
        candidates,
        forest_candidate,
        kernel_candidate,
        model_selection,
        split,
    )

    split.FOLDS, split.REPEATS = 3, 1
    structure.MAP_STEPS = 20
    held_out.DRAWS, plan.REPEATS = 50, 1
    model_selection.REFERENCES = model_selection.TEXT_REFERENCES = ()
    candidates.CENTERS, kernel_candidate.CENTERS, kernel_candidate.TUNING_ROWS = 32, 200, 150
    boosted_candidate.ITERATIONS = 10
    boosted_candidate.TRIAL["max_iter"] = boosted_candidate.FEWER["max_iter"] = 4
    forest_candidate.TREES = forest_candidate.FEWER_TREES = 20
    forest_candidate.TRIAL_TREES = 5
