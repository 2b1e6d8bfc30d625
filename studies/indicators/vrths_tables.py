"""The tables of the virtual tests, and the rows behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybsim.studies.indicators import case_study
from hybsim.studies.indicators.performance import ppi
from hybsim.studies.indicators.vrths_runs import ALPHA, BETA, CASES, CHOICES, SPECTRA, Case, Choice
from hybsim.studies.indicators.vrths_spectrum import continuous, delay_error
from hybsim.studies.indicators.vrths_statistics import Agreement, delay_effect, spectrum_effect
from hybsim.studies.indicators.vrths_words import TABLES
from hybsim.studies.outcome import Table

if TYPE_CHECKING:
    from hybsim.studies.indicators.vrths import Found


def tables(found: Found) -> list[Table]:
    cases = [case_row(found, case) for case in CASES]
    choices = [choice_row(found, choice) for choice in CHOICES]
    return [
        Table(
            "Pure delay, the cases of PSI Table 4.1",
            ("case", "gamma", "zeta", "Omega", "PPI\nprinted", "PPI", "runs over\nPPI - 1 [%]", *WITHIN),
            [
                (f"Case {r['case']}", f"{r['gamma']:g}", f"{r['zeta']:g}", f"{r['omega']:g}", f"{r['ppi_printed']:.2g}",
                 f"{r['ppi']:.4g}", _with_error(r), *_within(r))
                for r in cases
            ],
            TABLES["cases"],
        ),
        Table(
            "Actuators, the choices of PSI Table 4.2",
            ("choice", "actuator", "runs over\nPPI - 1 [%]", *WITHIN, "PPI at 50 rad/s", "\nas a delay"),
            [
                (f"Choice {r['choice']}", r["actuator"], _with_error(r), *_within(r), f"{r['ppi_at_50']:.4g}",
                 f"{r['ppi_as_delay_at_50']:.4g}")
                for r in choices
            ],
            TABLES["choices"],
        ),
        Table(
            "Whether anything but Omega matters",
            ("case", "S_g = 2 over\nS_g = 1, - 1 [%]", "standard\nerror [%]", "change with every\ndoubling of tau [%]",
             "standard\nerror [%]"),
            [
                (f"Case {r['case']}", *(f"{100.0 * r[name]:.2f}" for name in EFFECTS))
                for r in cases
            ],
            TABLES["effects"],
        ),
        Table(
            "What the ticks do, by the spectrum of the sampled diagram",
            ("runs", "ticks a delay", "delay realised\n- 1 [ppm]", "PPI at ticks\n- 1 [%]", "error of\na run [%]"),
            [_tick_row(found, name) for name in found.groups],
            TABLES["ticks"],
        ),
        _case_study_table(found),
    ]  # fmt: skip


WITHIN = ("within\n1 SE", "\n2 SE", "\n3 SE", "chi^2 / n", "prob-\nability")
EFFECTS = ("spectrum_effect", "spectrum_effect_error", "delay_effect", "delay_effect_error")


def _with_error(row: dict[str, Any]) -> str:
    return f"{100.0 * row['bias']:.1f} \N{PLUS-MINUS SIGN} {100.0 * row['bias_error']:.1f}"


def _within(row: dict[str, Any]) -> list[str]:
    shares = [f"{100.0 * row[f'within_{k}'] / row['runs']:.1f} %" for k in (1, 2, 3)]
    return [*shares, f"{row['chi_square'] / row['runs']:.3f}", f"{row['probability']:.2f}"]


def agreement_row(agreed: Agreement) -> dict[str, Any]:
    row: dict[str, Any] = {"runs": len(agreed), "bias": agreed.bias, "bias_error": agreed.bias_error}
    for k, inside, expected in zip((1, 2, 3), agreed.within, agreed.expected_within, strict=True):
        row |= {f"within_{k}": inside, f"expected_within_{k}": expected}
    return {**row, "chi_square": agreed.chi_square, "probability": agreed.probability}


def case_row(found: Found, case: Case) -> dict[str, Any]:
    name = f"case {case.number}"
    effects = (*spectrum_effect(found.runs, name), *delay_effect(found.runs, name))
    return {
        "case": case.number, "alpha": ALPHA, "beta": BETA, "gamma": case.gamma, "zeta": case.zeta, "omega": case.omega,
        "ppi_printed": case.printed, "ppi": ppi(ALPHA, BETA, case.gamma, case.zeta, case.omega),
        **agreement_row(found.groups[name]), **dict(zip(EFFECTS, effects, strict=True)),
    }  # fmt: skip


def choice_row(found: Found, choice: Choice) -> dict[str, Any]:
    at, as_delay = continuous(choice.partition(50.0)).ppi, continuous(choice.as_delay(50.0)).ppi
    return {
        "choice": choice.number, "actuator": choice.rig, "alpha": choice.share, "beta": BETA, "gamma": choice.share,
        "zeta": choice.zeta, "computation_s": choice.computation, "communication_s": choice.communication,
        "delay_at_rest_s": choice.as_delay(1.0).delay, **agreement_row(found.groups[f"choice {choice.number}"]),
        "ppi_at_50": at, "ppi_as_delay_at_50": as_delay,
    }  # fmt: skip


def _tick_row(found: Found, name: str) -> tuple[str, ...]:
    chosen = [test for test in found.runs.of(name)[0] if test.spectrum == SPECTRA[0]]
    lengths = [test.partition.delay / test.dt for test in chosen]
    late = max((delay_error(test.partition, test.dt) for test in chosen), key=abs)
    off = max((test.at_ticks / test.moments.ppi - 1.0 for test in chosen), key=abs)
    return (
        name.capitalize(), f"{min(lengths):.1f} .. {max(lengths):.1f}", f"{1e6 * late:.1f}", f"{100.0 * off:.2f}",
        f"{100.0 * float(found.groups[name].relative.mean()):.1f}",
    )  # fmt: skip


def _case_study_table(found: Found) -> Table:
    given, printed = found.case_study, case_study.PRINTED
    errors = {(one.record.name, one.rig): one.nrmse for one in given.shown}
    rows = [
        ("Omega = omega_n tau", f"{printed['omega']:g}", f"{case_study.OMEGA:.4f}"),
        ("stable with any delay", "yes", "yes" if given.unconditional else "no"),
        ("lowest gamma that is stable at this Omega", f"{printed['lowest_gamma']:g}", f"{given.lowest_gamma:.4f}"),
        ("PPI", f"{printed['ppi']:g}", f"{given.ppi:.4f}"),
    ]
    rows += [
        (f"NRMSE, {name}, {'delay of 14.8 ms' if rig != case_study.ACTUATOR else rig} [%]",
         f"{100.0 * printed['nrmse']:g} (Chi-Chi)", f"{100.0 * value:.2f}")
        for (name, rig), value in errors.items()
    ]  # fmt: skip
    return Table("The case study of PSI Sec. 4.3", ("quantity", "printed", "here"), rows, TABLES["case_study"])
