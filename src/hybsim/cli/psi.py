"""hybsim psi: how much delay a single-degree-of-freedom hybrid test can bear, how wrong it will be, what to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .output import JsonOption, Report, grid, report
from .study import show_sentences

if TYPE_CHECKING:
    from hybsim.studies.indicators.prediction import Prediction

FEW = 6
"""Switches that the table shows; the JSON has them all."""


def psi(
    alpha: Annotated[float, typer.Option(metavar="A", help="Numerical share of the mass, M_n / M, in [0, 1].")],
    beta: Annotated[float, typer.Option(metavar="B", help="Numerical share of the damping, C_n / C, in [0, 1].")],
    gamma: Annotated[float, typer.Option(metavar="G", help="Numerical share of the stiffness, K_n / K, in [0, 1].")],
    zeta: Annotated[float, typer.Option(metavar="Z", help="Damping ratio of the whole structure, such as 0.02.")],
    omega_n: Annotated[float, typer.Option(metavar="W", help="Natural frequency of the whole structure in rad/s.")],
    tau: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Delay of the fed back force in s, such as 0.0148 for 14.8 ms."),
    ] = None,
    log10: Annotated[
        bool, typer.Option("--log10", help="PSI as a decimal logarithm, not the natural one of PSI Table 2.2.")
    ] = False,
    json: JsonOption = None,
) -> None:
    """Predict stability and error of a hybrid test with one degree of freedom and a delay, before it starts.

    Example: hybsim psi --alpha 0.8 --beta 0.5 --gamma 0.65 --zeta 0.04 --omega-n 10 --tau 0.005

    JSON keys: phi_cr, omega_cr, switches, tau_cr_s, psi, unconditional, zeta_eff, root_re, root_im, ppi, warnings.
    A number that does not exist is null: the critical ones where any delay is stable, psi where none is, zeta_eff,
    root and ppi without --tau, ppi where the test is unstable.
    """
    with report(json) as to:
        from hybsim.studies.indicators.advice import advice, changes
        from hybsim.studies.indicators.prediction import Setup, predict

        found = predict(Setup(alpha, beta, gamma, zeta, omega_n, tau), log10=log10)
        to.content = found.summary()
        show(to, found, "log10" if log10 else "ln")
        show_sentences(to, "What to know", found.warnings)
        show_sentences(to, "What to change", advice(found, changes(found)))


def show(to: Report, found: Prediction, logarithm: str) -> None:
    """The numbers of a prediction, with what they are."""
    setup, first, at = found.setup, found.critical, found.at_delay
    to.say(
        f"Hybrid test with alpha = {setup.alpha:g}, beta = {setup.beta:g}, gamma = {setup.gamma:g},"
        f" zeta = {setup.zeta:g}, omega_n = {setup.omega_n:g} rad/s", style="bold",
    )  # fmt: skip
    none = "none: stable with any delay" if first.unconditional else "none: unstable with any delay"
    rows = [
        ("phi_cr", "critical frequency over omega_n", none if first.phi != first.phi else f"{first.phi:.6g}"),
        ("Omega_cr", "omega_n tau at the first switch", none if first.unconditional else f"{first.omega:.6g}"),
        ("switches", "all Omega; * first, (...) back to stable", switches(found)),
        ("tau_cr", "critical delay", none if first.unconditional else f"{1000.0 * found.tau_cr:.6g} ms"),
        ("PSI", f"{logarithm} of tau_cr in ms", "inf" if first.unconditional else f"{found.psi:.4f}"),
    ]
    if at is not None and setup.tau is not None:
        delay = f"at tau = {1000.0 * setup.tau:.6g} ms"
        rows += [
            ("stable", delay, "yes" if at.stable else "NO"),
            ("zeta_eff", f"signed effective damping {delay}", f"{at.zeta_eff:.6g}"),
            ("root", f"dominant root over omega_n {delay}", f"{at.root.real:.6g} + {at.root.imag:.6g}j"),
            ("PPI", f"omega_n^3 error variance / S_g {delay}", "none: unstable" if at.ppi is None else f"{at.ppi:.6g}"),
        ]
    table = grid("", "what", "value", numbers=("value",))
    for row in rows:
        table.add_row(*row)
    to.show(table)


def switches(found: Prediction) -> str:
    """The Omega of the stability switches in one line."""
    if not found.switches:
        return "none"
    words = [f"{each.omega:.4g}" if each.to_right else f"({each.omega:.4g})" for each in found.switches]
    words[0] += "*"
    more = [f"... ({len(words)} in all)"] if len(words) > FEW else []
    return ", ".join(words[:FEW] + more)
