"""Signal-to-noise ratio as a test goes on, since the start or over a moving window.

    SNR_k = RMS(r) / RMS(e)                                     (3.3)

r signal (the restoring force, for instance), e the error in it, each with the root mean square of RUNNINGRMS, the
present tick included. As amplitudes, not powers: 20 log10(SNR) is its value in decibels.

No error, no ratio: while RMS(e) is 0 or below 1e-15 RMS(r), which is the rounding of the signal, snr is 0 (it never
is infinite). A ratio of 0 cannot come from a test with both signals present, so 0 means "not defined yet".

EERC Eq. 3.3.
"""

from __future__ import annotations

from types import SimpleNamespace

from hybsim.blocks.monitors.root_mean_square import Windowed, keep, oldest, prepared_window, root_mean_squares
from hybsim.kernel import Ports, Prepared, kernel, zeros

LEAST_ERROR = 1e-15
"""The smallest RMS of an error over that of its signal that counts as one."""


class SignalToNoise(Windowed):
    """Root mean square of a signal over that of its error; 0 as long as there is no error."""

    ins = Ports(signal="signal r without the error", error="error e of the signal")
    outs = Ports(snr="ratio of their root mean squares, 0 while there is no error")

    @classmethod
    def prepare(cls, q: SimpleNamespace, dt: float) -> Prepared:
        return prepared_window(q, dt, ("signal", "error"), dict.fromkeys(("signal", "error", "snr"), q.width))

    @kernel
    def outputs(u, x, p, y):
        old = oldest(int(x.head), p.ticks, p.length)
        n = min(x.count + 1.0, p.most)
        noise = zeros(len(u.error))
        root_mean_squares(u.signal, x.signal_past, x.signal_sum, x.signal_rest, old, n, y.snr)
        root_mean_squares(u.error, x.error_past, x.error_sum, x.error_rest, old, n, noise)
        for i in range(len(noise)):
            y.snr[i] = y.snr[i] / noise[i] if noise[i] > LEAST_ERROR * y.snr[i] else 0.0

    @kernel
    def update(u, x, p):
        head = int(x.head)
        old = oldest(head, p.ticks, p.length)
        keep(u.signal, x.signal_past, x.signal_sum, x.signal_rest, old, head, p.kept)
        keep(u.error, x.error_past, x.error_sum, x.error_rest, old, head, p.kept)
        x.head = 0.0 if head + 1 == p.length else x.head + 1.0
        x.count = x.count + 1.0
