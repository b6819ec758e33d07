"""The compiled solver: one sample at a time on the K × K Gram matrix, many samples per call, no allocation per sample.

For one sample, with G = θᵀθ + ridge·I and c = θᵀz, minimise ½hᵀGh − cᵀh + λ‖h‖₁ (h ≥ 0 if `positive`).

* Cold (`_path`): the homotopy in the penalty level, from max|c| down to λ. Between two events h is affine in the
  level; an event is a coefficient that enters or leaves. (G_AA)⁻¹ is updated by rank one, so an event costs O(s² + Ks).
* Warm, and after the path (`_polish`): solve on the sign pattern. If the solution keeps the signs, check the
  optimality condition: done, or let sweeps of coordinate descent bring the violators in. Otherwise go towards the
  solution until a first coefficient is zero, drop it, solve again.

What `_polish` returns is the solution of one fresh solve on the final pattern, in the order of the indices: it depends
on z, θ, the penalty and this pattern, on nothing else. No BLAS is called, so no thread setting can change a bit.

Rows of matrices are padded to a multiple of 8 with zeros and stored flat.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fedmm_edu.sparse_coding.lanes import borrow, dot, scale1, subtract1, subtract4

_FAST = {"contract", "reassoc", "nsz", "arcp"}  # not nnan, ninf: pivots are compared, infinities are used
SINGULAR = 64 * 2.0**-52  # a pivot below SINGULAR times its diagonal entry is rounding: the atoms are dependent
_DEPENDENT = 1e-12  # the same for the path, whose updated inverse is less exact; `_polish` repairs what it skips
_ROUNDING = 8 * 2.0**-52  # a violation below _ROUNDING times the size of the terms is rounding: no use to go on


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _subtract_rows(y, width, x, offsets, coefficients, n):
    """y[:width] -= Σ_i coefficients[i] · x[offsets[i] : + width]."""
    i = 0
    while i + 4 <= n:
        o0, o1, o2, o3 = offsets[i], offsets[i + 1], offsets[i + 2], offsets[i + 3]
        a0, a1, a2, a3 = coefficients[i], coefficients[i + 1], coefficients[i + 2], coefficients[i + 3]
        for m in range(0, width, 8):
            subtract4(y, m, x, o0, o1, o2, o3, a0, a1, a2, a3)
        i += 4
    while i < n:
        for m in range(0, width, 8):
            subtract1(y, m, x, offsets[i], coefficients[i])
        i += 1


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _residual(g, c, width, gram, rows, values, n):
    """g = c − Σ_i values[i] · (row of `gram` that begins at rows[i])."""
    for m in range(0, width, 8):
        scale1(g, m, c, 0, 1.0)
    _subtract_rows(g, width, gram, rows, values, n)


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _factor(gram, stride, support, s, rhs, upper, unit, pitch):
    """G_AA = L D Lᵀ: rows of `upper` hold D Lᵀ, rows of `unit` Lᵀ with zeros on and before the diagonal.

    Column s holds L⁻¹rhs in `upper` and D⁻¹L⁻¹rhs in `unit`. Returns s, or the index of a pivot that is rounding.
    """
    end = s + 1
    padded = (end + 7) // 8 * 8
    for i in range(s):
        row, source = i * pitch, support[i] * stride
        for m in range(i, s):
            upper[row + m] = gram[source + support[m]]
        upper[row + s] = rhs[i]
        for m in range(end, padded):
            upper[row + m] = 0.0
    for i in range(s):
        row, first = i * pitch, i // 8 * 8
        diagonal = upper[row + i]
        k = 0
        while k + 4 <= i:
            o = k * pitch
            f0, f1, f2, f3 = unit[o + i], unit[o + pitch + i], unit[o + 2 * pitch + i], unit[o + 3 * pitch + i]
            shift = o - row
            for m in range(row + first, row + end, 8):
                subtract4(upper, m, upper, shift, shift + pitch, shift + 2 * pitch, shift + 3 * pitch, f0, f1, f2, f3)
            k += 4
        while k < i:
            o = k * pitch
            for m in range(row + first, row + end, 8):
                subtract1(upper, m, upper, o - row, unit[o + i])
            k += 1
        pivot = upper[row + i]
        if not pivot > SINGULAR * diagonal:
            return i
        inverse = 1.0 / pivot
        for m in range(row + first, row + end, 8):
            scale1(unit, m, upper, 0, inverse)
        for m in range(first, i + 1):
            unit[row + m] = 0.0
    return s


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _back(unit, pitch, n, column, x):
    """Solve Lᵀx = column of `unit`, for the leading n rows; x is zero up to the next multiple of 8."""
    padded = (n + 7) // 8 * 8
    for m in range(padded):
        x[m] = 0.0
    for k in range(n - 1, -1, -1):
        o, first = k * pitch, k // 8 * 8
        x[k] = unit[o + column] - dot(unit, o + first, x, first, (padded - first) // 8)


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _sweep(h, g, gram, stride, inverse, lam, positive, count):
    """One pass of coordinate descent; g = c − Gh is kept."""
    for j in range(count):
        old, u = h[j], g[j]
        if old == 0.0 and u <= lam and (positive or u >= -lam):
            continue
        o = j * stride
        u += gram[o + j] * old
        if u > lam:
            new = (u - lam) * inverse[j]
        elif u < -lam and not positive:
            new = (u + lam) * inverse[j]
        else:
            new = 0.0
        if new != old:
            h[j] = new
            for m in range(0, stride, 8):
                subtract1(g, m, gram, o, new - old)


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _leave_null_space(h, support, r, rhs, unit, pitch, x):
    """Atom r depends on those before: move along the dependence, downhill, until a first coefficient is zero."""
    _back(unit, pitch, r, r, x)
    slope = rhs[r]
    for k in range(r):
        x[k] = -x[k]
        slope += rhs[k] * x[k]
    x[r] = 1.0
    side = 1.0 if slope >= 0.0 else -1.0
    hit, step = -1, np.inf
    for _ in range(2):
        for k in range(r + 1):
            value, move = h[support[k]], side * x[k]
            if move * value < 0.0 and -value / move < step:
                hit, step = k, -value / move
        if hit >= 0:
            break
        side = -side
    for k in range(r + 1):
        h[support[k]] += step * side * x[k]
    h[support[hit]] = 0.0


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _violation(h, g, lam, positive, count):
    """max_j of the distance of g_j = −gradient_j to λ∂|h_j| (to its extension by h ≥ 0)."""
    worst = 0.0
    for j in range(count):
        if h[j] > 0.0:
            e = abs(g[j] - lam)
        elif h[j] < 0.0:
            e = abs(g[j] + lam)
        elif positive:
            e = g[j] - lam
        else:
            e = abs(g[j]) - lam
        worst = max(worst, e)
    return worst


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _refine(c, g, lam, h, support, s, unit, upper, pitch, x):
    """x += (G_AA)⁻¹ (residual of the pattern's equations at h), with the factors at hand."""
    for i in range(s):
        unit[i * pitch + s] = g[support[i]] - (lam if h[support[i]] > 0.0 else -lam)
    for k in range(s):
        o = k * pitch
        for m in range(k + 1, s):
            unit[m * pitch + s] -= unit[o + s] * unit[o + m]
        unit[o + s] /= upper[o + k]
    _back(unit, pitch, s, s, x)


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _polish(
    c, gram, inverse, stride, largest, lam, positive, count, tol, limit, h, g, support, rows, rhs, upper, unit, x
):
    """From h to a certified minimiser; returns (violation, number of solves). On return h is what was certified.

    Without a certificate after `limit` solves, or when only rounding is left, the violation says so.
    """
    pitch = stride + 8
    biggest = 0.0
    for j in range(count):
        biggest = max(biggest, abs(c[j]))
    for solves in range(1, limit + 1):
        s = 0
        for j in range(count):
            if h[j] != 0.0:
                support[s] = j
                rhs[s] = c[j] - (lam if h[j] > 0.0 else -lam)
                s += 1
        rank = _factor(gram, stride, support, s, rhs, upper, unit, pitch)
        if rank < s:
            _leave_null_space(h, support, rank, rhs, unit, pitch, x)
            continue
        _back(unit, pitch, s, s, x)
        hit, step = -1, 1.0
        for i in range(s):
            value = h[support[i]]
            if x[i] * value <= 0.0 and (hit < 0 or value / (value - x[i]) < step):
                hit, step = i, value / (value - x[i])
        if hit >= 0:
            for i in range(s):
                h[support[i]] += step * (x[i] - h[support[i]])
            h[support[hit]] = 0.0
            continue
        violation = _certify(c, gram, stride, lam, positive, count, tol, h, g, support, rows, s, upper, unit, pitch, x)
        size = biggest
        for i in range(s):
            size += largest * abs(h[support[i]])
        if violation <= max(tol, _ROUNDING * size):
            return violation, solves
        _sweep(h, g, gram, stride, inverse, lam, positive, count)
    for i in range(count):
        rows[i] = i * stride
    _residual(g, c, stride, gram, rows, h, count)
    return _violation(h, g, lam, positive, count), limit


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _certify(c, gram, stride, lam, positive, count, tol, h, g, support, rows, s, upper, unit, pitch, x):
    """Take the pattern's solution x into h; its violation, after at most two steps of refinement."""
    violation = np.inf
    for attempt in range(3):
        for i in range(s):
            h[support[i]] = h[support[i]] + x[i] if attempt else x[i]
        for i in range(s):
            x[i] = h[support[i]]
            rows[i] = support[i] * stride
        _residual(g, c, stride, gram, rows, x, s)
        on_support = 0.0
        for i in range(s):
            on_support = max(on_support, abs(g[support[i]] - (lam if x[i] > 0.0 else -lam)))
        violation = _violation(h, g, lam, positive, count)
        if on_support <= tol:
            break
        if attempt < 2:
            _refine(c, g, lam, h, support, s, unit, upper, pitch, x)
    return violation


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _border(j, sign, slope, gram, stride, entered, s, m_inverse, pitch, offsets, column, u, d):
    """Border M = (G_AA)⁻¹ by atom j and bring d = Mσ up to date, in O(s²); `slope` = G_jA d.

    With u = (M G_Aj, −1) and rest = G_jj − G_jA M G_Aj: M += uuᵀ/rest and d += u (slope − σ_j)/rest.
    False, and nothing changed, if j depends on the atoms of A.
    """
    padded = (s + 8) // 8 * 8
    for m in range(0, padded, 8):
        scale1(u, m, u, 0, 0.0)
    for i in range(s):
        column[i] = -gram[j * stride + entered[i]]
    _subtract_rows(u, (s + 7) // 8 * 8, m_inverse, offsets, column, s)
    diagonal = gram[j * stride + j]
    rest = diagonal
    for i in range(s):
        rest += column[i] * u[i]
    if not rest > _DEPENDENT * diagonal:
        return False
    if s % 8 == 0:  # a new block of columns: M and d are zero beyond A
        for i in range(s):
            for m in range(s, padded):
                m_inverse[i * pitch + m] = 0.0
        for m in range(s, padded):
            d[m] = 0.0
    for m in range(padded):
        m_inverse[s * pitch + m] = 0.0
    u[s] = -1.0
    scale = 1.0 / rest
    for i in range(s + 1):
        for m in range(i * pitch, i * pitch + padded, 8):
            subtract1(m_inverse, m, u, -i * pitch, -scale * u[i])
    for m in range(0, padded, 8):
        subtract1(d, m, u, 0, scale * (sign - slope))
    return True


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _unborder(i, s, m_inverse, pitch, u, d):
    """Take index i out of M = (G_AA)⁻¹ and of d = Mσ, in O(s²); the last index moves to its place."""
    last, padded = s - 1, (s + 7) // 8 * 8
    for m in range(0, padded, 8):
        scale1(u, m, m_inverse, i * pitch, 1.0)
    scale = 1.0 / u[i]
    share = scale * d[i]
    for m in range(0, padded, 8):
        subtract1(d, m, u, 0, share)
    for k in range(s):
        for m in range(k * pitch, k * pitch + padded, 8):
            subtract1(m_inverse, m, u, -k * pitch, scale * u[k])
    for m in range(s):
        m_inverse[i * pitch + m] = m_inverse[last * pitch + m]
    for k in range(s):
        m_inverse[k * pitch + i] = m_inverse[k * pitch + last]
        m_inverse[k * pitch + last] = 0.0
    d[i] = d[last]
    d[last] = 0.0


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _next_event(g, a, level, lam, positive, count, skip, entered, values, d, s):
    """Length of the step in the level, and its event: −1 end, 0 … s−1 this index leaves, s + j atom j enters."""
    step, event = level - lam, -1
    for i in range(s):
        if d[i] * values[i] < 0.0 and -values[i] / d[i] < step:
            step, event = -values[i] / d[i], i
    for j in range(count):
        ahead = g[j] - step * a[j]
        bound = level - step
        if ahead > bound and skip[j] == 0 and 1.0 - a[j] > _DEPENDENT:
            step, event = max((level - g[j]) / (1.0 - a[j]), 0.0), s + j
        elif ahead < -bound and not positive and skip[j] == 0 and 1.0 + a[j] > _DEPENDENT:
            step, event = max((level + g[j]) / (1.0 + a[j]), 0.0), s + j
    return step, event


@njit(fastmath=_FAST, error_model="numpy", forceinline=True)
def _path(c, gram, stride, lam, positive, count, limit, h, g, entered, rows, offsets, skip, m_inverse, u, d, a, values):
    """h(λ) by the homotopy from h = 0, up to rounding and skipped ties; the number of events."""
    pitch = stride + 8
    level, event = lam, -1
    for j in range(count):
        skip[j] = 0
        size = c[j] if positive else abs(c[j])
        if size > level:
            level, event = size, j
    for m in range(0, stride, 8):
        scale1(g, m, c, 0, 1.0)
        scale1(h, m, c, 0, 0.0)
        scale1(values, m, c, 0, 0.0)
    s, events = 0, 0
    while event >= 0 and events < limit:
        events += 1
        if event >= s:
            j = event - s
            skip[j] = 1
            sign = 1.0 if g[j] > 0.0 else -1.0
            slope = a[j] if s > 0 else 0.0
            if _border(j, sign, slope, gram, stride, entered, s, m_inverse, pitch, offsets, a, u, d):
                entered[s], rows[s], offsets[s], values[s] = j, j * stride, s * pitch, 0.0
                s += 1
            free = -1
        else:
            free = entered[event]
            _unborder(event, s, m_inverse, pitch, u, d)
            s -= 1
            entered[event], rows[event], values[event] = entered[s], rows[s], values[s]
            values[s] = 0.0
            for j in range(count):  # what depended on A may enter now; the one that left, one step later
                skip[j] = 1 if j == free else 0
            for i in range(s):
                skip[entered[i]] = 1
        for i in range(s):
            u[i] = -d[i]
        for m in range(0, stride, 8):
            scale1(a, m, c, 0, 0.0)
        _subtract_rows(a, stride, gram, rows, u, s)  # a = G_A d: g falls by step · a
        step, event = _next_event(g, a, level, lam, positive, count, skip, entered, values, d, s)
        for m in range(0, s, 8):
            subtract1(values, m, d, 0, -step)
        for m in range(0, stride, 8):
            subtract1(g, m, a, 0, step)
        level -= step
        if free >= 0:
            skip[free] = 0
    for i in range(s):
        h[entered[i]] = values[i]
    return events


@njit(fastmath=_FAST, error_model="numpy", cache=True)
def gram_matrix(theta, count, ridge):
    """θᵀθ + ridge·I, flat and padded; `theta` (p, K padded)."""
    p, stride = theta.shape
    flat = theta.ravel()
    rows, weights = np.arange(p) * stride, np.empty(p)
    gram, row = np.zeros(stride * stride), np.zeros(stride)
    for j in range(count):
        for i in range(p):
            weights[i] = -theta[i, j]
        row[:] = 0.0
        _subtract_rows(row, stride, flat, rows, weights, p)
        gram[j * stride : (j + 1) * stride] = row
        gram[j * stride + j] += ridge
    return gram


@njit(fastmath=_FAST, error_model="numpy", nogil=True, cache=True)
def solve_rows(
    data,
    indices,
    indptr,
    width,
    theta,
    gram,
    lam,
    positive,
    start,
    warm,
    tol,
    limit,
    room,
    places,
    out,
    violation,
    solves,
):
    """Codes of the rows of Z, written to `out` (N, K) with their violations and numbers of solves.

    Z is CSR, or dense where `indptr` is empty: then `data` holds rows of `width`. `start` (N, K) is read if `warm`.
    `room` (2(pitch)² + 8 pitch floats, pitch = K padded + 8) and `places` (4, pitch) integers are scratch.
    """
    count, stride = out.shape[1], theta.shape[1]
    pitch = stride + 8
    # Without an owner: counting references costs more than a small sample does. The caller holds the owners.
    gram, flat = borrow(gram), borrow(theta.ravel())
    vectors, square = room[: 8 * pitch].reshape((8, pitch)), room[8 * pitch :]
    inverse, c, h = borrow(vectors[0]), borrow(vectors[1]), borrow(vectors[2])
    g, x, u = borrow(vectors[3]), borrow(vectors[4]), borrow(vectors[5])
    d, a = borrow(vectors[6]), borrow(vectors[7])
    upper, unit = borrow(square[: pitch * pitch]), borrow(square[pitch * pitch :])
    support, rows, offsets, skip = borrow(places[0]), borrow(places[1]), borrow(places[2]), borrow(places[3])
    largest = 0.0
    for j in range(count):
        diagonal = gram[j * stride + j]
        largest = max(largest, diagonal)
        inverse[j] = 1.0 / diagonal if diagonal > 0.0 else 0.0
    for n in range(out.shape[0]):
        for m in range(0, stride, 8):
            scale1(c, m, flat, 0, 0.0)
            scale1(h, m, flat, 0, 0.0)
        if indptr.size:
            for q in range(indptr[n], indptr[n + 1]):
                for m in range(0, stride, 8):
                    subtract1(c, m, flat, indices[q] * stride, -data[q])
        else:
            for q in range(width):
                if data[n * width + q] != 0.0:
                    for m in range(0, stride, 8):
                        subtract1(c, m, flat, q * stride, -data[n * width + q])
        known = False
        if warm:
            for j in range(count):
                h[j] = max(start[n, j], 0.0) if positive else start[n, j]
                known = known or h[j] != 0.0
        total, worst = 0, np.inf
        for attempt in range(2):  # a warm start that leads nowhere is forgotten
            if attempt == 1 or not known:
                total += _path(
                    c, gram, stride, lam, positive, count, limit, h, g, support, rows, offsets, skip, upper, u, d, a, x
                )
            worst, polish = _polish(
                c,
                gram,
                inverse,
                stride,
                largest,
                lam,
                positive,
                count,
                tol,
                limit,
                h,
                g,
                support,
                rows,
                u,
                upper,
                unit,
                x,
            )
            total += polish
            if worst <= tol or not known:
                break
        violation[n], solves[n] = worst, total
        for j in range(count):
            out[n, j] = h[j]
