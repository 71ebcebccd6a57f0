"""Queueing theory as the textbooks print it; times in units of the caller's rates."""

import math
from decimal import Decimal, localcontext

import numpy as np
from scipy.optimize import brentq
from scipy.special import stdtrit

__all__ = [
    "cobham_waits",
    "codel_drops_by",
    "drr_latency_s",
    "lattice_exponential",
    "md1_wait_within",
    "mean_within",
    "mg1_mean_wait",
    "mg1_waits_within",
    "quantile",
]


def mg1_mean_wait(arrival_hz, sizes_s, shares):
    """Pollaczek-Khinchine: ``W = lambda E[S^2] / 2 (1 - rho)``."""
    load = arrival_hz * np.dot(shares, sizes_s)
    return arrival_hz * np.dot(shares, np.square(sizes_s)) / (2 * (1 - load))


def cobham_waits(arrivals_hz, services_s):
    """Cobham 1954: mean waits under non-preemptive priorities, the first class served first.

    ``W_k = W_0 / (1 - sigma_{k-1}) (1 - sigma_k)`` with ``W_0 = sum lambda_i E[S_i^2] / 2`` and
    ``sigma_k = rho_1 + ... + rho_k``; here every class has packets of one size.
    """
    loads = np.multiply(arrivals_hz, services_s)
    upto = np.cumsum(loads)
    residual_s = np.dot(arrivals_hz, np.square(services_s)) / 2
    return residual_s / ((1 - (upto - loads)) * (1 - upto))


def md1_wait_within(time_s, arrival_hz, service_s):
    """Erlang 1909: the share of packets of an M/D/1 queue that wait no longer than a time.

    ``P(W <= t) = (1 - rho) sum_{k=0}^{t/D} (lambda (k D - t))^k e^{lambda (t - k D)} / k!``, whose
    terms alternate and are huge: hence so many decimals.
    """
    with localcontext(prec=120):
        time, rate, service = Decimal(time_s), Decimal(arrival_hz), Decimal(service_s)
        total, factorial = Decimal(0), 1
        for k in range(int(time / service) + 1):
            factorial *= max(k, 1)
            late = rate * (k * service - time)
            total += (late**k if k else 1) * (-late).exp() / factorial
        return float((1 - rate * service) * total)


def lattice_exponential(mean_bytes, cells_a_mean, means):
    """Frame sizes [B] with nearly the exponential law: its cells, each in its middle.

    Returns
    -------
    sizes, shares : ndarray
        The last cell has the rest of the law.
    """
    width = mean_bytes // cells_a_mean
    cells = np.arange(cells_a_mean * means)
    shares = np.exp(-cells / cells_a_mean) * -math.expm1(-1 / cells_a_mean)
    shares[-1] += 1 - shares.sum()
    return cells * width + width // 2, shares


def mg1_waits_within(arrival_hz, sizes_s, shares, step_s, longest_s):
    """Waiting times of an M/G/1 queue: ``P(W <= t)`` for every step up to the longest.

    Takacs: ``F(t) = 1 - rho + lambda int_0^t F(t - u) (1 - B(u)) du``, solved step by step with the
    trapezoid rule; the sizes are multiples of the step, so that nothing jumps within one.
    """
    load = arrival_hz * np.dot(shares, sizes_s)
    places = np.rint(np.divide(sizes_s, step_s)).astype(int)
    beyond = 1 - np.cumsum(np.bincount(places, shares))[:-1]
    weights = arrival_hz * step_s * (beyond + np.append(0, beyond[:-1])) / 2
    weights = np.append(weights, arrival_hz * step_s * beyond[-1] / 2)
    within = np.zeros(int(longest_s / step_s) + 1)
    within[0] = 1 - load
    for n in range(1, len(within)):
        reach = min(n, len(weights) - 1)
        past = within[n - reach : n][::-1] @ weights[1 : reach + 1]
        if reach < len(weights) - 1:
            past -= within[0] * arrival_hz * step_s * beyond[n] / 2
        within[n] = (1 - load + past) / (1 - weights[0])
    return within


def mean_within(values, share):
    """Low and high end of Student's interval for the mean of independent values."""
    values = np.asarray(values, float)
    half = stdtrit(len(values) - 1, (1 + share) / 2) * values.std(ddof=1) / math.sqrt(len(values))
    return values.mean() - half, values.mean() + half


def quantile(within, share, longest_s):
    """The time [s] by which a distribution function reaches a share."""
    return brentq(lambda time_s: within(time_s) - share, 0, longest_s, xtol=1e-15, rtol=1e-12)


def drr_latency_s(line_bps, quanta_bytes, largest_bytes):
    """Lenzini, Mingozzi and Stea 2004, theorem 1 (doi:10.1109/TNET.2004.833131).

    The least latency for which each flow of a deficit round robin, whose quanta are not below
    the largest frames, is served as by a line of its own, of ``phi_i / F`` of the rate C, that
    begins so much later (a latency-rate server, where a packet counts with its last bit):

    ``Theta_i = ((F - phi_i) (1 + L_i / phi_i) + sum_j L_j) / C`` with ``F = sum_j phi_j``.
    """
    quanta, largest = np.asarray(quanta_bytes, float), np.asarray(largest_bytes, float)
    others = quanta.sum() - quanta
    return 8 * (others * (1 + largest / quanta) + largest.sum()) / line_bps


def codel_drops_by(times_s, interval_s):
    """RFC 8289: drops since the first one, each ``interval / sqrt(n)`` after the nth."""
    most = int((max(times_s) / interval_s + 2) ** 2)
    gaps_s = interval_s / np.sqrt(np.arange(1, most + 1))
    return 1 + np.searchsorted(np.cumsum(gaps_s), times_s, side="right")
