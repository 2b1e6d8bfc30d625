"""A study in the user's own file: a variable `study`, or a function `run(settings, progress)`.

    study = hs.Study(...)                        tables, pictures and words are made from its numbers
    def run(settings, progress): ...             returns a hybsim.studies.outcome.Outcome of its own
    takes = ("seed", "case")                     the settings that `run` reads; without it seed and jobs

FILE:NAME picks another variable or function. The docstring of the file is title and introduction of a Study.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial, wraps
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hybsim.errors import ParameterError, RunError, near
from hybsim.studies.catalogue import Entry, Run
from hybsim.studies.outcome import Outcome, Progress, Settings

# One way from a file to what is in it, and from a mistake in it to a sentence, for diagrams and studies alike.
from .target import TargetError, _as_program, _blame, _load, _own_line, _short, split

if TYPE_CHECKING:
    from hybsim.studies.measures import Measure
    from hybsim.studies.study import Study

USUAL = ("study", "run")
STORES = ".study"


def is_file(target: str) -> bool:
    """Whether the word after `hybsim study` is a file and not the name of a study."""
    file, _, name = target.rpartition(":")
    words = (target, file) if name.isidentifier() else (target,)
    return os.path.exists(target) or any(word.endswith(".py") or os.sep in word for word in words)


def exists(target: str) -> bool:
    return os.path.isfile(split(target)[0])


@dataclass(frozen=True)
class OwnStudy:
    """A study in a file: how it runs, the text of the file, and the Study in it, if it is one."""

    entry: Entry
    source: str
    study: Study | None = None

    def stored(self, folder: Path, settings: Settings) -> tuple[Entry, Path | None]:
        """The entry that keeps finished runs below the folder, and the file they are in.

        Every study has a file of its own: one that was changed starts anew.
        """
        if self.study is None:
            return self.entry, None
        from hybsim.studies.running.fingerprint import digest

        try:
            name = digest(_seeded(self.study, settings.seed).digests())[:12]
        except RunError as error:
            warnings.warn(f"This study cannot go on after an interruption: {error}", stacklevel=2)
            return self.entry, None
        (folder / STORES).mkdir(exist_ok=True)
        path = folder / STORES / f"{self.entry.name}-{name}.jsonl"
        run: Any = self.entry.run
        return replace(self.entry, run=partial(run, store=path)), path


def load_study(target: str) -> OwnStudy:
    """The study of a file."""
    file, name = split(target)
    with _as_program(file):
        module = _load(file)
    source = Path(file).read_text(encoding="utf-8", errors="replace")
    found, stem = _chosen(module, file, name), Path(file).stem
    from hybsim.studies.study import Study

    if isinstance(found, Study):
        study = _located(found)
        takes = ("seed", "jobs") if _whole(study.seeds) else ("jobs",)
        return OwnStudy(Entry(stem, "", _guarded(_swept(study, module, stem), file), takes), source, study)
    if not callable(found):
        raise TargetError(f"'{target}' gives a value of type {type(found).__name__}, neither a Study nor a function.")
    try:
        inspect.signature(found).bind(None, None)
    except TypeError as error:
        label = getattr(found, "__name__", name)
        raise TargetError(f"{label} of '{file}' must be called as run(settings, progress): {error}.") from None
    return OwnStudy(Entry(stem, "", _guarded(found, file), _takes(module, file)), source)


def _chosen(module: ModuleType, file: str, name: str | None) -> Any:
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    if name is not None:
        if name not in public:
            raise TargetError(f"'{file}' has no variable or function {name!r}.{near(name, public)}")
        return public[name]
    for usual in USUAL:
        if usual in public:
            return public[usual]
    raise TargetError(
        f"'{file}' has no study: set a variable `study = hs.Study(...)` or write a function `run(settings, progress)`."
    )


def _takes(module: ModuleType, file: str) -> tuple[str, ...]:
    takes, known = getattr(module, "takes", ("seed", "jobs")), [field.name for field in fields(Settings)]
    for name in takes:
        if name not in known:
            raise TargetError(f"`takes` of '{file}' has {name!r}, which is no setting.{near(str(name), known)}")
    return tuple(takes)


def _swept(study: Study, module: ModuleType, stem: str) -> Run:
    """Run a Study, and make words, tables and pictures of what it gives."""

    def run(settings: Settings, progress: Progress, store: Path | None = None) -> Outcome:
        from hybsim.studies.reporting.study_outcome import outcome

        chosen = _seeded(study, settings.seed)
        result = chosen.run(jobs=settings.jobs, store=store, progress=progress)
        title, *paragraphs = (inspect.getdoc(module) or "").split("\n\n")
        lines = [" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip()]
        return outcome(chosen, result, name=stem, title=" ".join(title.split()).rstrip(".") or None, introduction=lines)

    return run


def _changed(study: Study, **changes: Any) -> Study:
    from hybsim.studies.study import Study

    names = ("space", "duration", "measures", "reference", "seeds")
    return Study(study.program, **{name: getattr(study, name) for name in names} | changes)


def _seeded(study: Study, seed: int) -> Study:
    """The study with the seed-th set of seeds: the second of range(20) is 20 to 39."""
    if seed < 1:
        raise ParameterError(f"--seed picks a set of seeds, the first of which is in the file: 1 or more, got {seed}.")
    shifted = {
        name: [value + (seed - 1) * (max(values) - min(values) + 1) for value in values]
        for name, values in _whole(study.seeds).items()
    }
    return study if seed == 1 else _changed(study, seeds={**study.seeds, **shifted})


def _located(study: Study) -> Study:
    """The study, with measures that say where in the user's file they failed."""

    def located(measure: Measure) -> Measure:
        if not measure.vectors:
            return measure
        *others, function = measure.settings

        @wraps(function)
        def measured(*histories: Any) -> Any:
            try:
                return function(*histories)
            except Exception as error:
                line = _own_line(extract_tb(error.__traceback__), "")
                if line is not None:
                    error.args = (f"{error} ({_short(line.filename)}:{line.lineno})",)
                raise

        return replace(measure, settings=(*others, measured))

    return _changed(study, measures={name: located(measure) for name, measure in study.measures.items()})


def _whole(seeds: dict[str, list[Any]]) -> dict[str, list[int]]:
    """Seeds that are whole numbers; others, such as the names of records, are no random numbers."""
    return {name: values for name, values in seeds.items() if values and all(isinstance(v, int) for v in values)}


def _guarded(run: Run, file: str) -> Run:
    """A mistake in the user's code, while it runs or draws, is a sentence with its line."""

    def guard(function: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*arguments: Any, **keywords: Any) -> Any:
            with _as_program(file), _blame(file, file):
                return function(*arguments, **keywords)

        return guarded

    def guarded_run(settings: Settings, progress: Progress, **keywords: Any) -> Outcome:
        found = guard(run)(settings, progress, **keywords)
        if not isinstance(found, Outcome):
            what = "nothing" if found is None else f"a value of type {type(found).__name__}"
            raise TargetError(f"run of '{file}' gives {what}: let it return a hybsim.studies.outcome.Outcome.")
        return replace(found, pictures=[replace(picture, draw=guard(picture.draw)) for picture in found.pictures])

    return guarded_run
