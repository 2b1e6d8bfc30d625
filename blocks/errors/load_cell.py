"""Load-cell noise of a given signal-to-noise ratio.

    force_meas = force + e
    e(t)       = (RMS(r) / SNR) z_j,   j = floor(t / T),   z_j ~ N(0, 1)
    SNR        = RMS(r) / RMS(e)                                          (3.3)

    RMS(r)  signal_rms, the root mean square of the clean force over the run
    T       sample_time, after which a new number is drawn; 0 to 1/(2T) Hz is the band

The noise cannot know the force that is still to come, so RMS(r) is a parameter. Take it from a run without
noise, such as one with this block's snr at 1e12:
`signal_rms=np.sqrt(np.mean(result["specimen.force"] ** 2, axis=0))`, or the last value of a RUNNINGRMS on the force.

RMS(e) is met on average; over n numbers drawn, the ratio of a single run scatters by 1/sqrt(2 n) of itself.
The noise is white up to 1/(2T) and held between its samples; the 0 to 50 Hz of the source have T = 0.01 s.
Channels are drawn one after the other from the same stream.

EERC Eq. 3.3 and Sec. 3.4.1; its noise levels in percent are peak-to-peak error over peak-to-peak force.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.errors.channels import per_channel
from hybsim.blocks.sources.random_numbers import seed_parameter, seeded_normals
from hybsim.blocks.sources.white_noise import WhiteNoise
from hybsim.blocks.ticks import whole_ticks
from hybsim.errors import ParameterError
from hybsim.kernel import Integer, Params, Ports, Positive, Prepared, Sampled, Vector, kernel


class LoadCell(Sampled):
    """Load cell with white noise of a given signal-to-noise ratio."""

    ins = Ports(force="force on the load cell")
    outs = Ports(force_meas="measured force", error="its noise e")
    params = Params(
        snr=Positive("signal-to-noise ratio RMS(r)/RMS(e)"),
        signal_rms=Vector(
            "RMS of the clean force, one number or one a channel: of a run without noise,"
            " np.sqrt(np.mean(force ** 2, axis=0))"
        ),
        sample_time=Positive(
            "seconds between new numbers, a whole number of ticks; None for one tick", None, optional=True
        ),
        seed=seed_parameter(),
        width=Integer("number of channels", 1, at_least=1),
    )
    example = dict(snr=78.0, signal_rms=5.0, seed=1)

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        rms = per_channel("signal_rms", q.signal_rms, q.width)
        if rms.min() <= 0.0:
            raise ParameterError(
                f"signal_rms must be greater than 0, got {rms.min():g}; take it from a run without noise."
            )
        rng, z = seeded_normals(q.seed, q.width)
        period = 1 if q.sample_time is None else whole_ticks("sample_time", q.sample_time, dt)
        return Prepared(
            p=dict(std=rms / q.snr, period=period),
            x=dict(rng=rng, z=z, age=0.0),
            widths=dict(force=q.width, force_meas=q.width, error=q.width),
        )

    @kernel
    def outputs(u, x, p, y):
        for i in range(len(u.force)):
            y.error[i] = p.std[i] * x.z[i]
            y.force_meas[i] = u.force[i] + y.error[i]

    # The same numbers, drawn at the same ticks.
    update = WhiteNoise.update
