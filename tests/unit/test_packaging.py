"""The wheel holds exactly the tracked files of the package, and works where nothing else of ours is.

An editable install hides a subpackage missing from pyproject.toml, so the wheel is built from a copy of
the tracked files and tried in a clean environment. That copy is made with the links of src/hybsim as links
and as the plain text files that a checkout without link support has.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).resolve().parents[2]
# Folder in the repository -> place in the package. Written out here, not read from pyproject.toml.
PLACES = {
    "src/hybsim": "hybsim",
    "blocks": "hybsim/blocks",
    "diagrams": "hybsim/diagrams",
    "hw": "hybsim/hw",
    "runtime": "hybsim/runtime",
    "studies": "hybsim/studies",
}
GENERIC_NAMES = ("blocks", "diagrams", "hw", "runtime", "studies")

WALK = """
import hybsim, pkgutil
def broken(name):
    raise
names = ["hybsim", *(m.name for m in pkgutil.walk_packages(hybsim.__path__, "hybsim.", onerror=broken))]
"""
NAMED = """
import sys
names = sys.argv[1:]
"""
IMPORT_ALL = """
import importlib, json
print(json.dumps({n: importlib.import_module(n).__file__ for n in names if not n.endswith("__main__")}))
"""


@dataclass(frozen=True)
class Source:
    """A copy of the tracked files, and the wheel built from it."""

    folder: Path
    wheel: Path


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command that must succeed; return its stdout, and show both streams if it does not."""
    # A PYTHONPATH of the caller would let the checkout leak into the clean environment.
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{command} failed\n{done.stdout}\n{done.stderr}"
    return done.stdout


def listed_files() -> list[str]:
    """Return the files git tracks or would track, as posix paths; links are listed, not followed."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so there is no list of tracked files to compare with")
    # The owner of the checkout may differ from the user who runs the tests.
    git = ("git", "-c", "safe.directory=*", "ls-files", "-z")
    names = run(*git, "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return sorted({name for name in names.split("\0") if name and os.path.lexists(ROOT / name)})


def expected_in_package() -> dict[str, str]:
    """Map each wheel path that must exist to its path in the repository."""
    expected = {}
    for name in listed_files():
        for folder, place in PLACES.items():
            path = PurePosixPath(name)
            is_link = str(path.parent) == "src/hybsim" and path.name in GENERIC_NAMES
            if path.is_relative_to(folder) and not is_link:
                expected[f"{place}/{path.relative_to(folder)}"] = name
    return expected


def expected_modules() -> set[str]:
    """Return the dotted names of all modules; __main__ is left out, as importing it runs the program."""
    names = {module_name(path) for path in expected_in_package() if path.endswith(".py")}
    return {name for name in names if not name.endswith("__main__")}


def module_name(wheel_path: str) -> str:
    """Return the dotted name of a module file: hybsim/cli/__init__.py is hybsim.cli."""
    parts = PurePosixPath(wheel_path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def copy_checkout(target: Path, *, links: bool) -> None:
    """Copy what git lists; with links=False write each link as the text file git would write."""
    for name in listed_files():
        source, copy = ROOT / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.parent == ROOT / "src" / "hybsim" and source.name in GENERIC_NAMES:
            if links:
                copy.symlink_to(f"../../{source.name}")
            else:
                copy.write_text(f"../../{source.name}")
        else:
            shutil.copyfile(source, copy)


def clean_environment(folder: Path) -> Path:
    """Create an environment with nothing in it and return its interpreter."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    return folder / "bin" / "python"


def install(python: Path, wheel: Path) -> None:
    """Install a wheel into another environment with our own pip: no network, no dependencies."""
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install")
    run(*pip, "--no-index", "--no-deps", wheel, cwd=python.parent)


def lend_dependencies(python: Path) -> None:
    """Let an environment see our site-packages.

    Only the folder is added: .pth files inside it are not read, so an editable hybsim there stays unseen.
    """
    ours = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    theirs = run(python, "-I", "-c", ask, cwd=python.parent)
    (Path(theirs.strip()) / "lent.pth").write_text("\n".join(ours) + "\n")


def import_all(python: Path, names: str, *arguments: str, cwd: Path) -> dict[str, Path]:
    """Import modules in another environment; return the file of each. The last line is ours alone."""
    answer = run(python, "-I", "-c", names + IMPORT_ALL, *arguments, cwd=cwd)
    return {name: Path(file) for name, file in json.loads(answer.splitlines()[-1]).items()}


@pytest.fixture(scope="module", params=["links", "no_links"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Source:
    """Build the wheel from a copy of the checkout."""
    folder = tmp_path_factory.mktemp(request.param)
    copy_checkout(folder / "checkout", links=request.param == "links")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder / "dist")
    run(*build, folder / "checkout", cwd=folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    return Source(folder=folder / "checkout", wheel=wheel)


def test_every_package_folder_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = [module_name(path) for path in expected_in_package() if path.endswith("/__init__.py")]
    assert sorted(declared) == sorted(folders), "pyproject.toml [tool.setuptools] packages"


def test_every_module_lies_in_a_package() -> None:
    paths = expected_in_package()
    folders = {str(PurePosixPath(path).parent) for path in paths if path.endswith(".py")}
    orphans = sorted(folder for folder in folders if f"{folder}/__init__.py" not in paths)
    assert orphans == [], "folders with modules but without __init__.py"


def test_links_for_tools_are_tracked_and_point_to_the_folders() -> None:
    listed = set(listed_files())
    for name in GENERIC_NAMES:
        link = f"src/hybsim/{name}"
        assert link in listed, f"{link} is not in the checkout"
        path = ROOT / link
        target = os.readlink(path) if path.is_symlink() else path.read_text().strip()
        assert target == f"../../{name}"


def test_wheel_holds_exactly_the_tracked_files(built: Source) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names)), "the wheel lists a file twice"
        inside = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
        expected = expected_in_package()
        assert sorted(expected.keys() - inside) == [], "tracked, but missing in the wheel"
        assert sorted(inside - expected.keys()) == [], "in the wheel, but not tracked"
        for name, source in expected.items():
            assert archive.read(name) == (ROOT / source).read_bytes(), name


def test_wheel_installs_nothing_but_hybsim(built: Source) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    with zipfile.ZipFile(built.wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert tops == {"hybsim", f"hybsim-{version}.dist-info"}


def test_installed_wheel_imports_every_module(built: Source, tmp_path: Path) -> None:
    python = clean_environment(tmp_path / "env")
    install(python, built.wheel)
    visible = "import importlib.util, sys; print([n for n in sys.argv[1:] if importlib.util.find_spec(n)])"
    assert run(python, "-I", "-c", visible, "hybsim", *GENERIC_NAMES, cwd=tmp_path).strip() == "['hybsim']"

    lend_dependencies(python)
    modules = import_all(python, WALK, cwd=tmp_path)
    assert modules.keys() == expected_modules()
    strangers = [file for file in modules.values() if not file.is_relative_to(tmp_path / "env")]
    assert strangers == [], "imported from outside the clean environment"

    ask = "from importlib.metadata import version; print(version('hybsim'))"
    assert run(python, "-I", "-c", ask, cwd=tmp_path).strip() == built.wheel.name.split("-")[1]
    assert "Usage" in run(tmp_path / "env" / "bin" / "hybsim", "--help", cwd=tmp_path)


def test_editable_install_imports_every_module_from_the_checkout(built: Source, tmp_path: Path) -> None:
    python = clean_environment(tmp_path / "env")
    # What `pip install --editable` does, but with the backend of this environment instead of a download.
    backend = f"import setuptools.build_meta as b; b.build_editable({str(tmp_path)!r})"
    run(sys.executable, "-c", backend, cwd=built.folder)
    (wheel,) = tmp_path.glob("*.whl")
    install(python, wheel)
    lend_dependencies(python)
    # By name: without links a walk over the folders cannot reach the subpackages at the root.
    modules = import_all(python, NAMED, *sorted(expected_modules()), cwd=tmp_path)
    strangers = [file for file in modules.values() if not file.resolve().is_relative_to(built.folder)]
    assert strangers == [], "imported from outside the editable checkout"


@pytest.mark.parametrize("name", GENERIC_NAMES)
def test_folder_is_not_importable_under_a_second_name(name: str) -> None:
    found = importlib.util.find_spec(name)
    assert found is None, f"{name} is importable from {found.origin}: run pytest, not python -m pytest"
