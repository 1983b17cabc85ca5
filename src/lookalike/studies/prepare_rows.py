"""Rows of any table prepared as a study prepares them: the columns used, scaled and encoded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lookalike.data.batches import gather, gather_table
from lookalike.data.source import Source
from lookalike.data.sources.arrays import ArraySource
from lookalike.data.sources.columns_source import ColumnsSource
from lookalike.data.sources.pieces import is_numeric
from lookalike.decisions import Decisions
from lookalike.models.neighbors.metric_options import NeighborOptions
from lookalike.models.preprocessing.encoded_source import EncodedSource
from lookalike.models.preprocessing.table import TablePreprocessor
from lookalike.studies.load.columns import describe_columns, drop_reason, with_other_columns
from lookalike.studies.load.dataset import Dataset
from lookalike.studies.load.read import read
from lookalike.studies.load.target import suggest_target
from lookalike.studies.results import ColumnDescription
from lookalike.studies.select.preparation import Preparation, default_preparation, used_columns
from lookalike.typing import AnyArray

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


NOTED_DECISIONS = ("missing values", "categories", "text")  # decisions of a preprocessor


class ComparedRows(NamedTuple):
    """Rows, what makes numbers of them, and the choices on the way."""

    source: Source  # the rows: in memory where they fit
    y: AnyArray | None  # the target of every row in memory
    in_memory: bool
    preparation: Preparation
    preprocessor: BaseEstimator  # fitted
    decisions: Decisions

    @property
    def text(self) -> bool:
        """Whether rows are documents and nothing else."""
        return not isinstance(self.preprocessor, TablePreprocessor)

    @property
    def names(self) -> list[str]:
        """The names of the features; of a category ``column=category``."""
        return [str(name) for name in self.preprocessor.get_feature_names_out()]

    @property
    def search(self) -> NeighborOptions:
        """The parameters of a neighbor search on the features."""
        return self.preparation.search(self._kind, self.preprocessor)

    @property
    def unchanged(self) -> bool:
        """Whether the features are the columns as they are."""
        model = self.preprocessor
        if self.text or model.scale != "none" or not is_numeric(self.source):
            return False
        names = [column.name for column in self.source.columns]
        return names == list(model.columns_) and not model.decisions_.about("missing values")

    @property
    def _kind(self) -> str:
        return self.preparation.analyzed[0]

    @property
    def shares(self) -> range:
        """Which features are one-hot encoded categories: means of them are shares."""
        model = self.preprocessor
        if self.text or model.encoding != "onehot":
            return range(0)
        width = sum(map(len, model.categories_.values()))
        return range(len(model.fill_), len(model.fill_) + width)

    @property
    def counted(self) -> range:
        """Which features are numbers and categories of the table, not components of text."""
        if self.text:
            return range(0)
        model = self.preprocessor
        return range(len(model.fill_) + sum(map(len, model.categories_.values())))

    def table_units(self, Z: AnyArray) -> AnyArray:
        """Return means of features in the units of the table."""
        return Z if self.text else self.preprocessor.table_units(Z)

    def pipeline(self, model: BaseEstimator) -> BaseEstimator:
        """Return a model of the features as one of rows of the table; both are fitted."""
        from sklearn.pipeline import Pipeline

        if self.unchanged:
            return model
        return Pipeline([("preprocessing", self.preprocessor), ("model", model)])

    def features(self) -> Any:
        """Return the features of all rows, in memory."""
        if self.unchanged:
            return gather(self.source).X
        return np.asarray(self.preprocessor.transform(self.source))

    def feature_source(self) -> Any:
        """Return the features: chunk by chunk where the rows are in files, else in memory."""
        if self.in_memory or self.text:
            return self.features()
        return self.source if self.unchanged else EncodedSource(self.source, self.preprocessor)


def prepare_rows(
    source: Source,
    *,
    text: str | None = None,
    metric: str = "auto",
    scale: str = "zscore",
    engine: str = "auto",
    supervised: bool = False,
    suggest: bool = False,
) -> ComparedRows:
    """Describe the columns of rows, choose how they are compared, and learn that.

    Identifiers, constant and empty columns are left out. Rows that do not fit the memory budget
    stay in their files; their columns are described by a random part of them.

    Parameters
    ----------
    source : Source
        The rows, without the column to predict or with it as their y.
    text : str, optional
        The column that holds documents.
    metric : str
        The distance that rows are to be compared by, which may need columns as they are.
    scale : {"zscore", "none"}
        Whether numbers are standardized.
    engine : str
        Of the preprocessor.
    supervised : bool
        Whether rows whose target is missing are left out.
    suggest : bool
        Whether a column that may be the target is named among the decisions.

    Examples
    --------
    >>> from lookalike.data import open_source
    >>> prepared = prepare_rows(open_source([[1.0, 5.0], [3.0, 5.0], [5.0, 5.0]]))
    >>> prepared.names
    ['x0']
    >>> print(prepared.decisions)
    column 'x1': dropped (all values present are 5)
    preprocessing: z-scores (the default for such columns)
    """
    source = source if source.repeatable else _held(source)
    decisions, reading = Decisions(), Decisions()
    dataset = read(source, reading, seed=0, text=text, labeled=supervised)
    whole = not dataset.sampled
    dataset = with_other_columns(dataset, decisions)
    columns = _describe(dataset, decisions)
    likely = suggest_target(columns, len(dataset)) if suggest else None
    if likely is not None:
        name, why = likely
        decisions.add("target", "none", f"none was given; {name!r} may be it: {why}")
    features = used_columns(columns, dataset)
    preparation = default_preparation(dataset, features, decisions, metric=metric, scale=scale)
    preprocessor = preparation.preprocessor(preparation.analyzed[0])
    if isinstance(preprocessor, TablePreprocessor):
        preprocessor.set_params(engine=engine)
    rows = dataset.source() if whole else source
    preprocessor.fit(rows)
    noted = [one for one in preprocessor.decisions_ if one.about in NOTED_DECISIONS]
    for decision in [*noted, *(reading.about("rows") if whole else ())]:
        decisions.add(*decision)
    y = dataset.y if whole or not supervised else gather_table(source).y
    return ComparedRows(rows, y, whole, preparation, preprocessor, decisions)


def _describe(dataset: Dataset, decisions: Decisions) -> list[ColumnDescription]:
    """Return what each column holds.

    What is constant in a part of the rows may not be so in all of them, and stays.
    """
    if not dataset.sampled:
        return describe_columns(dataset, decisions)
    described = describe_columns(dataset, Decisions())
    columns = [
        replace(column, kind=dataset.kinds[column.name], role="feature")
        if column.kind in ("constant", "empty")
        else column
        for column in described
    ]
    for column in columns:
        if column.role == "dropped":
            reason = drop_reason(column, dataset)
            decisions.add(f"column {column.name!r}", "dropped", reason)
    reason = "all of them exceed the memory budget"
    decisions.add("columns", f"described by {len(dataset):,} of the rows", reason)
    return columns


def _held(source: Source) -> Source:
    """Return rows that come only once, in memory."""
    names = [column.name for column in source.columns]
    if is_numeric(source):
        chunk = gather(source)
        return ArraySource(chunk.X, chunk.y, names=names if source.named else None)
    table = gather_table(source)
    types = {column.name: column.kind for column in source.columns}
    return ColumnsSource(table.values, types, y=table.y)
