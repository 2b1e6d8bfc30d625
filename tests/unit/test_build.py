"""C source to library: the cache and its accidents, refused sources, the checked build."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bare_package import ALONE, python
from compiler_scripts import CC, TWICE, call_twice, needs_cc, script

from hybsim.errors import CompilerError
from hybsim.runtime import build as building
from hybsim.runtime.build import build, cache_folder, flags, load

pytestmark = pytest.mark.usefixtures("own_cache")


def counting(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use a compiler that adds a line to the returned file each time it runs."""
    log = folder / "calls"
    log.touch()
    wrapper = script(folder / "counting-cc", f'echo run >> "{log}"\nexec {CC} "$@"')
    monkeypatch.setenv("HYBSIM_CC", str(wrapper))
    return log


def calls(log: Path) -> int:
    return len(log.read_text().splitlines())


# ---- building and the cache


@needs_cc
def test_a_function_is_compiled_and_called(own_cache: Path) -> None:
    path = build(TWICE, name="rig/Fig. 3-5")
    assert path.suffix == ".so" and path.is_relative_to(own_cache)
    assert (path.parent / "rig_Fig_3_5.c").read_text() == TWICE
    assert sorted(file.name for file in path.parent.iterdir()) == sorted([path.name, "rig_Fig_3_5.c"])
    assert call_twice(load(TWICE)) == 42.0


@needs_cc
def test_a_second_build_does_not_run_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = counting(tmp_path, monkeypatch)
    first = build(TWICE)
    assert calls(log) == 1
    assert build(TWICE) == first and build(TWICE, name="other") == first
    assert calls(log) == 1
    assert build(TWICE + " ") != first
    assert calls(log) == 2


@needs_cc
def test_what_changes_the_code_changes_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = counting(tmp_path, monkeypatch)
    build(TWICE, checked=False)
    monkeypatch.setattr(building, "cpu_identity", lambda: "another processor")
    build(TWICE, checked=False)
    assert calls(log) == 2
    wrapper = tmp_path / "counting-cc"
    wrapper.write_text(wrapper.read_text() + "# upgraded\n")
    build(TWICE, checked=False)
    assert calls(log) == 3
    monkeypatch.setattr(building, "flags", lambda checked: (*flags(checked), "-DNEW"))
    build(TWICE, checked=False)
    assert calls(log) == 4


@needs_cc
def test_a_named_compiler_may_have_arguments_and_blanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "#ifndef EXTRA\n#define EXTRA 1\n#endif\nint extra(void) { return EXTRA; }\n"
    monkeypatch.setenv("HYBSIM_CC", f"{CC} -DEXTRA=7")
    assert load(source).extra() == 7
    monkeypatch.setenv("HYBSIM_CC", str(script(tmp_path / "my tools" / "cc", f'exec {CC} -DEXTRA=8 "$@"')))
    assert load(source).extra() == 8
    monkeypatch.delenv("HYBSIM_CC")
    assert load(source).extra() == 1


@needs_cc
def test_without_a_compiler_a_library_of_any_compiler_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counting(tmp_path, monkeypatch)
    path = build(TWICE, name="first")
    monkeypatch.setenv("HYBSIM_CC", "none")
    assert build(TWICE, name="second") == path
    assert call_twice(load(TWICE)) == 42.0
    with pytest.raises(CompilerError):
        build(TWICE + " ")


@needs_cc
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.9999])
def test_a_damaged_library_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    log = counting(tmp_path, monkeypatch)
    path = build(TWICE)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert call_twice(load(TWICE)) == 42.0
    assert calls(log) == 2
    assert call_twice(load(TWICE)) == 42.0
    assert calls(log) == 2


@needs_cc
def test_a_library_that_cannot_be_loaded_is_built_again_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The first run of this compiler writes nonsense to the last argument, the output.
    ran = tmp_path / "ran"
    spoil = f'touch "{ran}"; for output; do :; done; echo no > "$output"; exit 0'
    body = f'test -e "{ran}" || {{ {spoil}; }}\nexec {CC} "$@"'
    monkeypatch.setenv("HYBSIM_CC", str(script(tmp_path / "cc", body)))
    assert call_twice(load(TWICE)) == 42.0
    with pytest.raises(CompilerError, match=r"cannot be loaded .*undefined symbol: nowhere"):
        load("double nowhere(void); double f(void) { return nowhere(); }")


@needs_cc
def test_builders_in_several_processes_do_not_disturb_each_other(own_cache: Path) -> None:
    code = (
        "import ctypes; from hybsim.runtime.build import load\n"
        f"f = load({TWICE!r}).twice\n"
        "f.argtypes, f.restype = [ctypes.c_double], ctypes.c_double; print(f(21.0))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "error", "-c", ALONE + code]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": env}
    builders = [subprocess.Popen(command, **pipes) for _ in range(8)]  # type: ignore[call-overload]
    assert [builder.communicate() for builder in builders] == [("42.0\n", "")] * 8
    assert not list(own_cache.rglob(".*"))
    assert len(list(own_cache.rglob("*.so"))) == 1


@needs_cc
def test_a_compile_error_is_one_line_and_the_source_is_kept(own_cache: Path) -> None:
    source = "double broken(double x) {\n    return x +;\n}\n"
    with pytest.raises(CompilerError) as caught:
        build(source, name="bad")
    (kept,) = own_cache.rglob("bad.c")
    assert kept.read_text() == source
    assert f"kept in '{kept}'" in str(caught.value) and f"{kept}:2:" in str(caught.value)
    assert "error: expected expression" in str(caught.value) and "\n" not in str(caught.value)
    assert [file.name for file in kept.parent.iterdir()] == ["bad.c"]


def test_a_compiler_that_fails_silently_is_named(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = 'for output; do :; done; echo half > "$output"; exit 3'
    monkeypatch.setenv("HYBSIM_CC", str(script(tmp_path / "mute", half)))
    with pytest.raises(CompilerError, match=r"mute' refused .* it ended with code 3 and no message"):
        build(TWICE)
    monkeypatch.setenv("HYBSIM_CC", str(script(tmp_path / "idle", "exit 0")))
    with pytest.raises(CompilerError, match="it ended with code 0"):
        build(TWICE)
    assert [file.name for file in own_cache.rglob("*") if file.is_file()] == ["program.c"]


def test_a_compiler_is_asked_for_english_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    body = 'echo "cc: note: first" >&2; echo "x.c:1: error: in $LC_ALL" >&2; exit 1'
    monkeypatch.setenv("HYBSIM_CC", str(script(tmp_path / "cc", body)))
    with pytest.raises(CompilerError, match=r": x\.c:1: error: in C$"):
        build(TWICE)


@needs_cc
def test_an_unusable_cache_is_replaced_for_this_process_and_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    log = counting(tmp_path, monkeypatch)
    (tmp_path / "file").touch()
    monkeypatch.setenv("HYBSIM_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match=r"cannot be kept in '.*file' \(Not a directory\)"):
        path = build(TWICE)
    assert call_twice(load(TWICE)) == 42.0 and build(TWICE) == path
    assert calls(log) == 1
    build(TWICE + " ")
    assert len(recwarn) == 0


@needs_cc
def test_the_replacement_is_removed_unless_it_holds_a_refused_source(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    where = {"HYBSIM_CACHE": str(tmp_path / "file"), "TMPDIR": str(tmp_path / "temporary")}
    (tmp_path / "temporary").mkdir()
    done = python(f"from hybsim.runtime.build import load; load({TWICE!r})", **where)
    assert done.returncode == 0 and list((tmp_path / "temporary").iterdir()) == []
    done = python("from hybsim.runtime.build import load; load('broken', name='bad')", **where)
    (kept,) = (tmp_path / "temporary").rglob("bad.c")
    assert f"kept in '{kept}'" in done.stderr


def test_the_cache_is_where_the_user_expects_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("HYBSIM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "hybsim"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    usual = "Library/Caches/hybsim" if sys.platform == "darwin" else ".cache/hybsim"
    assert cache_folder() == tmp_path / "home" / usual


# ---- the checked build

UNDEFINED = {
    "overflow": "long long f(void) { volatile long long a = 9223372036854775807; return a + 1; }",
    "cast": "long long f(void) { volatile double a = 1e300; return (long long)a; }",
    "bounds": "int f(void) { int a[3] = {0}; volatile int i = 3; return a[i]; }",
    "shift": "int f(void) { volatile int n = 40; return 1 << n; }",
}


@needs_cc
@pytest.mark.parametrize("kind", UNDEFINED)
def test_a_checked_build_ends_the_process_on_undefined_behaviour(kind: str) -> None:
    code = (
        "from hybsim.runtime.build import load\n"
        "f = load({!r}, checked={}).f; print('loaded', flush=True); f(); print('after')"
    )
    normal = python(code.format(UNDEFINED[kind], False))
    checked = python(code.format(UNDEFINED[kind], True))
    assert (normal.returncode, normal.stdout.split()) == (0, ["loaded", "after"])
    assert checked.returncode != 0 and checked.stdout.split() == ["loaded"], checked.stderr


@needs_cc
@pytest.mark.parametrize(("value", "expected"), [("1", 1), ("0", 0), ("", 0)])
def test_a_variable_makes_checked_builds_the_default(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: int
) -> None:
    source = "#ifdef HS_CHECKED\nint checked(void) { return 1; }\n#else\nint checked(void) { return 0; }\n#endif\n"
    monkeypatch.setenv("HYBSIM_CHECKED", value)
    assert load(source).checked() == expected
    assert load(source, checked=False).checked() == 0
