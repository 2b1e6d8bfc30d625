"""Equations of docstrings as HTML: what is typeset, what is left alone, and that columns stay in line."""

from __future__ import annotations

import re

import pytest

from hybsim.blocks import catalogue
from hybsim.cli.typeset import block, page, prose, typeset


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("d_{k+1} = d_k + dt v_k", "d<sub>k+1</sub> = d<sub>k</sub> + dt v<sub>k</sub>"),
        ("(1 - alpha) r_{k-1}", "(1 − α) r<sub>k−1</sub>"),
        ("M^-1 x^T", "M<sup>−1</sup> x<sup>T</sup>"),
        ("|z|^(n-1)", "|z|<sup>(n−1)</sup>"),
        ("u^c_i", "u<sup>c</sup><sub>i</sub>"),
        ("sum_{j=0}^{n} a_j", "Σ<sub>j=0</sub><sup>n</sup> a<sub>j</sub>"),
        ("u_g'' + x' + (a b)'", "u″<sub>g</sub> + x′ + (a b)′"),
        ("d~_k, d^_k", "d\u0303<sub>k</sub>, d\u0302<sub>k</sub>"),
        ("M_ = 1", "M\u0304 = 1"),
        ("rho_inf <= 1, a != b, -pi", "ρ<sub>∞</sub> ≤ 1, a ≠ b, −π"),
        ("u_applied_i", "u<sub>applied</sub><sub>i</sub>"),
        ("noise_i", "noise<sub>i</sub>"),
        ("u_p <- u -/+ u_y", "u<sub>p</sub> ← u ∓ u<sub>y</sub>"),
        ("omega_n^2", "ω<sub>n</sub><sup>2</sup>"),
        ("a < b & c", "a &lt; b &amp; c"),
    ],
)
def test_an_equation_is_typeset(source, shown):
    assert typeset(source, equation=True) == shown


@pytest.mark.parametrize(
    "text",
    ["max_delay", "ticks_per_step dt", "Newmark's method", "'linear' or 'hold'", "two-sided", "3000 psi", "time_scale"],
)
def test_names_and_words_are_left_alone(text):
    assert typeset(text, equation=True) == text


def test_in_prose_a_sum_is_a_word_and_code_stays_code():
    assert typeset("the sum of a_k in `x_{k}`, alpha") == "the sum of a<sub>k</sub> in `x_{k}`, α"


def test_signs_of_markdown_in_prose_are_text():
    assert prose("K* of *all* and max_delay, not `a_b * c`") == r"K\* of \*all\* and max\_delay, not `a_b * c`"


def test_a_docstring_is_prose_and_blocks():
    text = "Title of r_k.\n\n    r = k u\n\nk stiffness:\n    s = alpha\n- one\n- two"
    assert page(text) == (
        "Title of r<sub>k</sub>.\n\n<pre>\nr = k u\n</pre>\n\nk stiffness:\n\n<pre>\ns = α\n</pre>\n\n- one\n- two"
    )


def test_columns_that_lines_share_stay_in_line():
    first, second = block(["alpha = 1    first", "b     = 2    second"]).split("\n")[1:3]
    assert (first, second) == ("α = 1        first", "b     = 2    second")


def test_a_gap_of_one_line_alone_does_not_grow():
    assert "α = 1,   b = 2" in block(["alpha = 1,   b = 2", "c = 3"])


def test_every_docstring_of_the_catalogue_is_well_formed():
    for entry in catalogue.blocks():
        shown = page(entry["equation"])
        assert "<pre>" in shown, f"{entry['name']} has no equation"
        for tag in ("sub", "sup", "pre"):
            assert shown.count(f"<{tag}>") == shown.count(f"</{tag}>")
        assert not re.search(r"_\{", re.sub(r"`[^`]*`", "", shown)), entry["name"]
