"""Equations as the source writes them, typeset for a page: Greek letters, sub- and superscripts, signs.

    alpha -> α    u_{k+1} -> u with the index k+1    E^error -> E with the superscript error    d~_k -> d with a tilde
    x'' -> x″     sqrt( -> √(     sum_{j=0}^n -> Σ with its bounds     <= -> ≤     d^_k, M_ -> d with a hat, M with bar

A docstring is paragraphs of prose and indented blocks of equations. A block becomes preformatted HTML, which every
reader of Markdown shows, with columns padded by what typesetting took from the line. Names of parameters such as
`max_delay` stay as they are: an index belongs to a letter, or is one letter.
"""

from __future__ import annotations

import html
import re

LETTERS = dict(
    alpha="α", beta="β", gamma="γ", delta="δ", epsilon="ε", zeta="ζ", eta="η", theta="θ", kappa="κ", mu="μ", nu="ν",
    xi="ξ", pi="π", rho="ρ", sigma="σ", tau="τ", phi="φ", chi="χ", psi="ψ", omega="ω", lam="λ",
    Gamma="Γ", Delta="Δ", Theta="Θ", Lambda="Λ", Xi="Ξ", Pi="Π", Sigma="Σ", Phi="Φ", Psi="Ψ", Omega="Ω",
    nabla="∇", inf="∞", sqrt="√",
)  # fmt: skip
LETTERS["lambda"] = "λ"
OPERATORS = {"sum": "Σ", "prod": "Π", "int": "∫"}
"""Words of an equation only: in prose a sum is a sum."""

SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "<-": "←", "-/+": "∓", "+/-": "±", "+-": "±", "...": "…"}
MARKS = {"~": "\u0303", "^": "\u0302", "_": "\u0304"}
"""Tilde, hat and bar, put over the letter before them."""

NARROW = 0.75
"""Width of a character in an index against one on the line."""

NAME = r"[A-Za-z][A-Za-z0-9]*"
INDEX = r"_(?:\{[^}]*\}|[A-Za-z0-9]+)"
RAISED = r"\^(?:\{[^}]*\}|\([^()]*\)|-?[A-Za-z0-9]+)"
TOKEN = re.compile(
    rf"(?P<code>`[^`]*`)"
    rf"|(?P<name>{NAME})(?P<mark>~|\^(?=_)|_(?=[\s,.;)]|$))?(?P<scripts>(?:{INDEX}|{RAISED})*)(?P<prime>'+(?![A-Za-z]))?"
    rf"|(?P<raised>(?<=[\w)\]|*]){RAISED})"
    r"|(?P<sign>-/\+|\+/-|\.\.\.|<=|>=|!=|->|<-(?![\d.])|\+-)|(?P<minus>(?<=[ (\[=])-(?=[ \w(]))"
    r"|(?P<after>(?<=[)\]])'+(?![A-Za-z]))"
)


def typeset(text: str, *, equation: bool = False) -> str:
    """One line as HTML; words such as `sum` are signs in an equation only."""
    pieces, end = [], 0
    for found in TOKEN.finditer(text):
        pieces += [html.escape(text[end : found.start()], quote=False), _token(found, text, equation)]
        end = found.end()
    return "".join([*pieces, html.escape(text[end:], quote=False)])


def block(lines: list[str]) -> str:
    """An indented block of equations as preformatted HTML; columns, two or more spaces apart, stay in line."""
    starts = [start for line in lines for start in _columns(line)]
    shared = {start for start in starts if starts.count(start) > 1}
    return "<pre>\n" + "\n".join(_padded(line, shared) for line in lines) + "\n</pre>"


def page(docstring: str) -> str:
    """A docstring as Markdown: prose typeset, equations as blocks."""
    parts: list[str] = []
    for paragraph in re.split(r"\n\s*\n", docstring.strip()):
        lines = paragraph.split("\n")
        if all(line.startswith("    ") for line in lines):
            parts.append(block([line[4:] for line in lines]))
        else:
            # A paragraph may end in an equation, or continue one.
            for indented, group in _groups(lines):
                text = [line[4:] if indented else line for line in group]
                parts.append(block(text) if indented else "\n".join(prose(line) for line in text))
    return "\n\n".join(parts)


def _groups(lines: list[str]) -> list[tuple[bool, list[str]]]:
    """Neighbouring lines of one kind: equations (indented by four or more) or prose."""
    groups: list[tuple[bool, list[str]]] = []
    for line in lines:
        indented = line.startswith("    ")
        if groups and groups[-1][0] == indented:
            groups[-1][1].append(line)
        else:
            groups.append((indented, [line]))
    return groups


def prose(line: str) -> str:
    """Markdown's own signs in prose are text, except in a list or in code."""
    bullet, text = ("- ", line[2:]) if line.startswith("- ") else ("", line)
    return bullet + re.sub(r"(?<!`)([*_])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", typeset(text))


def _token(found: re.Match[str], text: str, equation: bool) -> str:
    if found["code"]:
        return html.escape(found["code"], quote=False)
    if found["sign"]:
        return SIGNS[found["sign"]] if equation or found["sign"] not in ("->", "<-", "+-") else html.escape(found[0])
    if found["minus"]:
        return "−"
    if found["raised"]:
        return _script(found["raised"])
    if found["after"]:
        return _primes(found["after"])
    return _name(found, text, equation)


def _name(found: re.Match[str], text: str, equation: bool) -> str:
    name, scripts = found["name"], found["scripts"] or ""
    unit = name == "psi" and re.search(r"\d\s$", text[: found.start()])  # a pressure, not an angle
    letter = len(name) == 1 or (name in LETTERS and not unit)
    parts = re.findall(rf"{INDEX}|{RAISED}", scripts)
    indexed = all(letter or p[0] == "^" or p[1] == "{" or len(p) == 2 for p in parts)
    # `a.b_c` and `b_c(` are names of a program
    inside = text[found.start() - 1 : found.start()] in ("_", ".") or not indexed
    if inside:
        return html.escape(found[0], quote=False)
    shown = LETTERS.get(name, name) if not unit else name
    if equation and name in OPERATORS:
        shown = OPERATORS[name]
    prime = found["prime"] or ""
    if prime and len(name) > 1 and not scripts and name not in LETTERS:
        return shown + html.escape(prime, quote=False)  # an apostrophe
    mark = MARKS[found["mark"]] if found["mark"] else ""
    return shown + mark + _primes(prime) + "".join(map(_script, parts))


def _script(part: str) -> str:
    """_{k+1} or ^2 as HTML, typeset inside."""
    tag = "sub" if part[0] == "_" else "sup"
    inner = part[2:-1] if part[1] == "{" else part[1:]
    return f"<{tag}>{typeset(inner, equation=True).replace('-', '−')}</{tag}>"


def _primes(marks: str) -> str:
    return {0: "", 1: "′", 2: "″", 3: "‴"}.get(len(marks), "′" * len(marks))


def _columns(line: str) -> list[int]:
    """Where the columns of a line begin, apart from the first."""
    return [gap.end() for gap in re.finditer(r"(?<=\S) {2,}", line)]


def _padded(line: str, shared: set[int]) -> str:
    """A line of an equation; before a column that other lines have too, what typesetting took is put back."""
    shown, lost, place = "", 0.0, 0
    for piece in re.split(r"( {2,})", line):
        place += len(piece)
        if piece.startswith("  "):
            gain = round(lost) if place in shared else 0
            shown += piece + " " * max(0, gain)
            lost -= gain
        else:
            done = typeset(piece, equation=True)
            shown += done
            lost += len(piece) - _width(done)
    return shown


def _width(text: str) -> float:
    """How wide HTML is, in characters of the line."""
    small = sum(len(html.unescape(inner)) for inner in re.findall(r"<su[bp]>([^<]*)</su[bp]>", text))
    plain = html.unescape(re.sub(r"<su[bp]>[^<]*</su[bp]>", "", text))
    return sum(not ("\u0300" <= c <= "\u036f") for c in plain) + NARROW * small
