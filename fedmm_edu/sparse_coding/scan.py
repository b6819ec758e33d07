"""One pass over all K atoms, eight at a time: what stands in the way of an optimal code.

LLVM does not vectorise a maximum that could meet a NaN, nor a search; these passes say what each lane does. Vectors
are padded with zeros: an entry beyond K is an atom without correlation, which no pass finds.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from fedmm_edu.sparse_coding.lanes import CONTRACT, DOUBLE, LANES, VECTOR, each, pointer, rotated, splat

_LONG, _FLAGS = ir.IntType(64), ir.IntType(LANES)
_LONGS = ir.VectorType(_LONG, LANES)


def _load(context, builder, kind, memory, offset):
    return builder.load(pointer(context, builder, kind, memory, offset), align=8)


def _absolute(builder, vector):
    declared = ir.FunctionType(VECTOR, [VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, declared, "llvm.fabs.v8f64"), [vector])


def _larger(builder, x, y):
    return builder.select(builder.fcmp_ordered(">", x, y), x, y)


def _smaller(builder, x, y):
    return builder.select(builder.fcmp_ordered("<", x, y), x, y)


def _all_lanes(builder, vector, combine):
    """`combine` of the eight lanes, in each of them."""
    for half in (4, 2, 1):
        vector = combine(builder, vector, rotated(builder, vector, half))
    return vector


def _count(builder, flags):
    """How many of eight flags are set."""
    return builder.zext(builder.ctpop(builder.bitcast(flags, _FLAGS)), _LONG)


@intrinsic
def largest_move(typing_context, g, gram, o, step, w, low, high, blocks):
    """g −= step · (row of `gram` at o); then the first j of the largest |g_j − clip(g_j + w_j, low, high)|.

    With w_j = G_jj h_j this is, times G_jj, how far coordinate descent would move h_j.
    """

    def generate(context, builder, signature, arguments):
        (g_type, gram_type, _, _, w_type, *_), (g, gram, o, step, w, low, high, blocks) = signature.args, arguments
        step, low, high = (splat(builder, value) for value in (step, low, high))
        best = cgutils.alloca_once_value(builder, ir.Constant(VECTOR, [-1.0] * LANES))
        where = cgutils.alloca_once_value(builder, ir.Constant(_LONGS, list(range(LANES))))
        with each(builder, blocks) as i:
            m = builder.mul(i, ir.Constant(_LONG, LANES))
            target = pointer(context, builder, g_type, g, m)
            row = _load(context, builder, gram_type, gram, builder.add(o, m))
            now = builder.fsub(builder.load(target, align=8), builder.fmul(step, row, flags=CONTRACT), flags=CONTRACT)
            builder.store(now, target, align=8)
            ahead = builder.fadd(now, _load(context, builder, w_type, w, m))
            clipped = _smaller(builder, _larger(builder, ahead, low), high)
            move = _absolute(builder, builder.fsub(now, clipped))
            better = builder.fcmp_ordered(">", move, builder.load(best))
            builder.store(builder.select(better, move, builder.load(best)), best)
            lanes = builder.add(splat(builder, m), ir.Constant(_LONGS, list(range(LANES))))
            builder.store(builder.select(better, lanes, builder.load(where)), where)
        most = _all_lanes(builder, builder.load(best), _larger)
        first = builder.fcmp_ordered("==", builder.load(best), most)
        found = builder.select(first, builder.load(where), ir.Constant(_LONGS, [2**62] * LANES))
        found = _all_lanes(builder, found, lambda b, x, y: b.select(b.icmp_signed("<", x, y), x, y))
        return builder.extract_element(found, ir.Constant(_LONG, 0))

    number, place = types.float64, types.intp
    return types.intp(g, gram, place, number, w, number, number, place), generate


@intrinsic
def crossings(typing_context, g, a, bar, m, level, step, positive):
    """Which of the eight atoms from m on are beyond the level after a step: |g − step·a| > level − step + bar.

    A bit for each; without the absolute value if `positive`.
    """

    def generate(context, builder, signature, arguments):
        (g_type, a_type, bar_type, *_), (g, a, bar, m, level, step, positive) = signature.args, arguments
        fall = builder.fmul(splat(builder, step), _load(context, builder, a_type, a, m), flags=CONTRACT)
        ahead = builder.fsub(_load(context, builder, g_type, g, m), fall, flags=CONTRACT)
        size = builder.select(positive, ahead, _absolute(builder, ahead))
        bound = builder.fadd(splat(builder, builder.fsub(level, step)), _load(context, builder, bar_type, bar, m))
        return builder.zext(builder.bitcast(builder.fcmp_ordered(">", size, bound), _FLAGS), _LONG)

    number = types.float64
    return types.intp(g, a, bar, types.intp, number, number, types.boolean), generate


@intrinsic
def nonzero(typing_context, h, m):
    """Which of h[m : m + 8] are not zero, bit by bit."""

    def generate(context, builder, signature, arguments):
        block = _load(context, builder, signature.args[0], *arguments)
        flags = builder.fcmp_unordered("!=", block, ir.Constant(VECTOR, [0.0] * LANES))
        return builder.zext(builder.bitcast(flags, _FLAGS), _LONG)

    return types.intp(h, types.intp), generate


@intrinsic
def finite(typing_context, x, m):
    """Whether all of x[m : m + 8] are."""

    def generate(context, builder, signature, arguments):
        size = _absolute(builder, _load(context, builder, signature.args[0], *arguments))
        flags = builder.fcmp_ordered("<", size, ir.Constant(VECTOR, [float("inf")] * LANES))
        return builder.icmp_unsigned("==", builder.bitcast(flags, _FLAGS), ir.Constant(_FLAGS, 2**LANES - 1))

    return types.boolean(x, types.intp), generate


@intrinsic
def lowest(typing_context, bits):
    """The place of the lowest bit that is set."""
    return types.intp(types.intp), lambda context, builder, signature, arguments: builder.cttz(
        arguments[0], ir.Constant(ir.IntType(1), 1)
    )


@intrinsic
def optimality(typing_context, h, g, diagonal, lam, positive, blocks):
    """How far h is from optimal, and how far from where it is not the only code: two numbers, of g = c − Gh.

    First max_j of the distance of g_j = −gradient_j to λ∂|h_j| (to its extension by h ≥ 0 if `positive`), and zero;
    infinite where one is no number, as products have overflown, and where h_j < 0 may not be. Then min_j of G_jj|h_j|
    where h_j is not zero, and of λ − |g_j| (λ − g_j if `positive`) where it is; at most λ.
    """

    def generate(context, builder, signature, arguments):
        (h_type, g_type, d_type, *_), (h, g, diagonal, lam, positive, blocks) = signature.args, arguments
        level, zero = splat(builder, lam), ir.Constant(VECTOR, [0.0] * LANES)
        forbidden, negative = ir.Constant(DOUBLE, float("-inf")), builder.fsub(ir.Constant(DOUBLE, 0.0), lam)
        below = splat(builder, builder.select(positive, forbidden, negative))
        worst, least = cgutils.alloca_once_value(builder, zero), cgutils.alloca_once_value(builder, level)
        with each(builder, blocks) as i:
            m = builder.mul(i, ir.Constant(_LONG, LANES))
            code, slope = _load(context, builder, h_type, h, m), _load(context, builder, g_type, g, m)
            unused = builder.fcmp_ordered("==", code, zero)
            size = builder.select(positive, slope, _absolute(builder, slope))
            sign = builder.select(builder.fcmp_ordered(">", code, zero), level, below)
            at_sign = _absolute(builder, builder.fsub(slope, sign))
            distance = builder.select(unused, builder.fsub(size, level), at_sign)
            known = builder.fcmp_ordered("==", distance, distance)
            distance = builder.select(known, distance, ir.Constant(VECTOR, [float("inf")] * LANES))
            builder.store(_larger(builder, distance, builder.load(worst)), worst)
            used = builder.fmul(_absolute(builder, code), _load(context, builder, d_type, diagonal, m))
            margin = builder.select(unused, builder.fsub(level, size), used)
            builder.store(_smaller(builder, margin, builder.load(least)), least)
        ends = ((worst, _larger), (least, _smaller))
        found = (_all_lanes(builder, builder.load(place), combine) for place, combine in ends)
        numbers = [builder.extract_element(vector, ir.Constant(_LONG, 0)) for vector in found]
        return context.make_tuple(builder, signature.return_type, numbers)

    number = types.float64
    return types.UniTuple(number, 2)(h, g, diagonal, number, types.boolean, types.intp), generate


@intrinsic
def turn_signs(typing_context, h, g, c, diagonal, inverse, low, high, blocks):
    """Each h_j of another sign than coordinate descent would give it goes where that leads; how many do.

    `diagonal` has G_jj, `inverse` 1/G_jj; a zero has the sign of c_j.
    """

    def generate(context, builder, signature, arguments):
        kinds, (h, g, c, diagonal, inverse, low, high, blocks) = signature.args, arguments
        low, high, zero = splat(builder, low), splat(builder, high), ir.Constant(VECTOR, [0.0] * LANES)
        wrong = cgutils.alloca_once_value(builder, ir.Constant(_LONG, 0))
        with each(builder, blocks) as i:
            m = builder.mul(i, ir.Constant(_LONG, LANES))
            target = pointer(context, builder, kinds[0], h, m)
            code = builder.load(target, align=8)
            slope, start, scale, factor = (
                _load(context, builder, kind, memory, m)
                for kind, memory in zip(kinds[1:5], (g, c, diagonal, inverse), strict=True)
            )
            ahead = builder.fadd(slope, builder.fmul(scale, code, flags=CONTRACT), flags=CONTRACT)
            above, below = builder.fcmp_ordered(">", ahead, high), builder.fcmp_ordered("<", ahead, low)
            up = builder.xor(builder.fcmp_ordered(">", code, zero), above)
            down = builder.xor(builder.fcmp_ordered("<", code, zero), below)
            turned = builder.or_(up, down)
            bound = builder.select(above, high, low)
            moved = builder.fmul(builder.fsub(ahead, bound), factor)
            there = builder.select(builder.or_(above, below), moved, builder.fmul(zero, start))
            builder.store(builder.select(turned, there, code), target, align=8)
            builder.store(builder.add(builder.load(wrong), _count(builder, turned)), wrong)
        return builder.load(wrong)

    number = types.float64
    return types.intp(h, g, c, diagonal, inverse, number, number, types.intp), generate
