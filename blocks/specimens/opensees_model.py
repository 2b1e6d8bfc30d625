"""A substructure modelled in OpenSees: displacements of its interface in, the forces that hold it there out.

    r_k = r(u_k, path),     static equilibrium of everything inside, once a tick

`model` names the function that builds it, "package.module:function" or "folder/file.py:function"; it is called as
`function(ops, **arguments)` with ops = openseespy.opensees, and leaves the degrees of freedom of the interface free.
`interface` lists them as pairs (node, dof), dof counted from 1. The model is in a process of its own: if it crashes,
hangs or does not converge, the run ends there with the reason, and keeps what was logged. The force is static, so
masses and damping of the substructure belong to the integrator, like those of any structure with a specimen in it.

For slow and virtual tests: a step takes the time OpenSees takes. Needs the extra `opensees`.
FHT (Shing et al. 2004), section Substructure Test.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Param, Params, Ports, Positive, Prepared
from hybsim.kernel.external import External


class ModelName(Param):
    """Where the function is that builds a model."""

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not all(value.rpartition(":")[::2]):
            raise ValueError(f'must be "package.module:function" or "folder/file.py:function", got {value!r}')
        return value


class Interface(Param):
    """Pairs of node and degree of freedom."""

    def check(self, value: Any) -> tuple[tuple[int, int], ...]:
        try:
            pairs = tuple((node, dof) for node, dof in value)
        except (TypeError, ValueError):
            pairs = ()
        whole = all(type(number) is int for pair in pairs for number in pair)
        if not pairs or not whole or len(set(pairs)) != len(pairs):
            raise ValueError(f"must be pairs of node and degree of freedom, each once, such as [(3, 1)], got {value!r}")
        return pairs


class Keywords(Param):
    """Arguments of the model function."""

    def check(self, value: Any) -> dict[str, Any]:
        plain = (bool, int, float, str)
        if not isinstance(value, Mapping) or not all(isinstance(v, plain) for v in value.values()):
            raise ValueError(f"must be a mapping of names to numbers, words, True or False, got {value!r}")
        return dict(value)


class OpenSeesModel(External):
    """Substructure modelled in OpenSees, in a process of its own."""

    ins = Ports(disp="displacements of the interface u")
    outs = Ports(force="forces that hold the interface r")
    params = Params(
        model=ModelName("function that builds the model"),
        interface=Interface("degrees of freedom of the interface: (node, dof)"),
        arguments=Keywords("keyword arguments of the function", {}),
        tolerance=Positive("largest norm of the last displacement increment", 1e-10),
        iterations=Integer("Newton iterations within a step", 25, at_least=1),
        timeout=Positive("longest time a step may take (s)", 10.0),
        start_timeout=Positive("longest time until the model is built (s)", 60.0),
    )
    example = dict(model="frame.py:build", interface=((3, 1), (4, 1)))
    opener = "hybsim.hw.opensees_process:open_session"

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return Prepared(widths=dict(disp=len(q.interface), force=len(q.interface)))

    @classmethod
    def describe(cls, q: SimpleNamespace) -> Mapping[str, Any]:
        """The model by the name of its file, and by its content."""
        file = model_file(q.model)
        return {
            **vars(q),
            "model": q.model if file is None else f"{file.name}:{q.model.rpartition(':')[2]}",
            "sha256": hashlib.sha256(file.read_bytes()).hexdigest() if file else None,
        }

    @classmethod
    def open(cls, q: SimpleNamespace, dt: float, label: str) -> Any:
        if model_file(q.model) is None:
            raise ParameterError(
                f"Block {label!r}: there is no file of the model {q.model!r}; give"
                ' "package.module:function" or "folder/file.py:function".'
            )
        return super().open(q, dt, label)


def model_file(model: str) -> Path | None:
    """The file with the function, or None where there is none."""
    where = model.rpartition(":")[0]
    if where.endswith(".py"):
        return Path(where) if Path(where).is_file() else None
    try:
        spec = importlib.util.find_spec(where)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin else None
