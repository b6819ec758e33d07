"""Loops over vectors, eight doubles at a time: y −= a x, sums of rows, y = a x, the dot product, and blocks of a matrix
product. Memory is an array, or a bare pointer (`borrow`). Bounds are the caller's care: ends are rounded up to eights.

LLVM vectorises a loop of 20 to 60 steps poorly (its main loop takes 32 at once and the rest runs one by one). These
operations say the width; on processors with narrower registers LLVM splits them. Each output entry sees the same
operations in the same order wherever it stands, so results do not depend on padding or position.
"""

from __future__ import annotations

from contextlib import contextmanager

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
DOUBLE, _INT = ir.DoubleType(), ir.IntType(32)
VECTOR = ir.VectorType(DOUBLE, LANES)
CONTRACT = ("contract",)  # one rounding for a product and its subtraction, where the processor has it


def _entry(context, builder, kind, memory, offset):
    data = memory if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, memory).data
    return builder.gep(data, [offset])


def pointer(context, builder, kind, memory, offset):
    """Of the eight doubles that begin at `offset`."""
    return builder.bitcast(_entry(context, builder, kind, memory, offset), VECTOR.as_pointer())


def splat(builder, scalar):
    """The scalar in eight lanes."""
    undefined = ir.Constant(ir.VectorType(scalar.type, LANES), ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(_INT, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_INT, LANES), [0] * LANES))


def rotated(builder, vector, lanes):
    """Lane i + `lanes`, around the end, in lane i."""
    order = [(lane + lanes) % LANES for lane in range(LANES)]
    return builder.shuffle_vector(vector, vector, ir.Constant(ir.VectorType(_INT, LANES), order))


@contextmanager
def each(builder, count):
    """The loop over 0 … count − 1, which LLVM may not unroll: its steps are wide, and compiling takes long."""
    with cgutils.for_range(builder, count) as loop:
        yield loop.index
        last = builder.basic_block
    module = builder.module
    rule = module.add_metadata([ir.MetaDataString(module, "llvm.loop.unroll.disable")])
    name = ir.MDValue(module, (), name=str(len(module.metadata)))
    name.operands = name, rule  # of a loop, by which LLVM knows it, begins with itself
    last.terminator.set_metadata("llvm.loop", name)


@contextmanager
def _eights(builder, first, end):
    """The loop over m = first, first + 8, … below `end`."""
    length = builder.add(builder.sub(end, first), ir.Constant(end.type, LANES - 1))
    with each(builder, builder.ashr(length, ir.Constant(end.type, 3))) as k:
        yield builder.add(first, builder.mul(k, ir.Constant(end.type, LANES)))


def _subtract(context, builder, y_type, y, first, end, x_type, x, terms, start=None):
    """Code for y[first:end] -= Σ a x[o + first : o + end], over the pairs (o, a) of `terms`, in their order.

    start: a pointer, of the same type, to what y is before; y itself by default.
    """
    factors = [splat(builder, factor) for _, factor in terms]
    with _eights(builder, first, end) as m:
        target = pointer(context, builder, y_type, y, m)
        before = target if start is None else pointer(context, builder, y_type, start, m)
        total = builder.load(before, align=8)
        for (o, _), factor in zip(terms, factors, strict=True):
            block = builder.load(pointer(context, builder, x_type, x, builder.add(o, m)), align=8)
            total = builder.fsub(total, builder.fmul(factor, block, flags=CONTRACT), flags=CONTRACT)
        builder.store(total, target, align=8)


def _subtract_all(context, builder, y_type, y, first, end, x_type, x, term, n, start=None):
    """The same over the pairs term(0) … term(n − 1): four in a pass, then two, then one."""
    index = n.type
    fours = builder.ashr(n, ir.Constant(index, 2))
    before = None if start is None else cgutils.alloca_once_value(builder, start)
    if before is not None:  # the first pass reads there: a copy is needed only where there is none
        few = builder.icmp_signed("==", fours, ir.Constant(index, 0))
        with builder.if_then(few), _eights(builder, first, end) as m:
            block = builder.load(pointer(context, builder, y_type, start, m), align=8)
            builder.store(block, pointer(context, builder, y_type, y, m), align=8)
    with each(builder, fours) as k:
        i = builder.mul(k, ir.Constant(index, 4))
        terms = [term(builder.add(i, ir.Constant(index, t))) for t in range(4)]
        _subtract(context, builder, y_type, y, first, end, x_type, x, terms, before and builder.load(before))
        if before is not None:
            builder.store(y, before)
    done = builder.mul(fours, ir.Constant(index, 4))
    for few in (2, 1):
        some = builder.and_(n, ir.Constant(index, few))
        with builder.if_then(builder.icmp_signed("!=", some, ir.Constant(index, 0))):
            terms = [term(builder.add(done, ir.Constant(index, t))) for t in range(few)]
            _subtract(context, builder, y_type, y, first, end, x_type, x, terms)
        done = builder.add(done, some)


def _listed(context, builder, o_type, offsets, a_type, coefficients, first):
    """i ↦ the pair of offsets[i] − first and coefficients[i]."""

    def term(i):
        o = builder.load(_entry(context, builder, o_type, offsets, i))
        return builder.sub(o, first), builder.load(_entry(context, builder, a_type, coefficients, i))

    return term


@intrinsic
def subtract(typing_context, y, first, end, x, o, a):
    """y[first:end] -= a x[o + first : o + end]."""

    def generate(context, builder, signature, arguments):
        y, first, end, x, o, a = arguments
        _subtract(context, builder, signature.args[0], y, first, end, signature.args[3], x, [(o, a)])
        return context.get_dummy_value()

    return types.void(y, types.intp, types.intp, x, types.intp, types.float64), generate


@intrinsic
def subtract_rows(typing_context, y, first, end, x, offsets, coefficients, n):
    """y[first:end] -= Σ_{i<n} coefficients[i] · x[offsets[i] : + end − first], in the order of i."""

    def generate(context, builder, signature, arguments):
        y_type, _, _, x_type, o_type, a_type, _ = signature.args
        y, first, end, x, offsets, coefficients, n = arguments
        term = _listed(context, builder, o_type, offsets, a_type, coefficients, first)
        _subtract_all(context, builder, y_type, y, first, end, x_type, x, term, n)
        return context.get_dummy_value()

    return types.void(y, types.intp, types.intp, x, offsets, coefficients, types.intp), generate


@intrinsic
def less_rows(typing_context, y, start, first, end, x, offsets, coefficients, n):
    """y[first:end] = start[first:end] − Σ_{i<n} coefficients[i] · x[offsets[i] : + end − first], for pointers."""

    def generate(context, builder, signature, arguments):
        y_type, _, _, _, x_type, o_type, a_type, _ = signature.args
        y, start, first, end, x, offsets, coefficients, n = arguments
        term = _listed(context, builder, o_type, offsets, a_type, coefficients, first)
        _subtract_all(context, builder, y_type, y, first, end, x_type, x, term, n, start)
        return context.get_dummy_value()

    return types.void(y, start, types.intp, types.intp, x, offsets, coefficients, types.intp), generate


@intrinsic
def subtract_above(typing_context, y, first, end, x, o, pitch, coefficients, i, n):
    """y[first:end] -= Σ_{k<n} coefficients[i + k·pitch] · x[o + k·pitch + first : o + k·pitch + end]."""

    def generate(context, builder, signature, arguments):
        y_type, _, _, x_type, _, _, a_type, _, _ = signature.args
        y, first, end, x, o, pitch, coefficients, i, n = arguments

        def term(k):
            shift = builder.mul(k, pitch)
            place = _entry(context, builder, a_type, coefficients, builder.add(i, shift))
            return builder.add(o, shift), builder.load(place)

        _subtract_all(context, builder, y_type, y, first, end, x_type, x, term, n)
        return context.get_dummy_value()

    return types.void(y, types.intp, types.intp, x, types.intp, types.intp, coefficients, *(types.intp,) * 2), generate


@intrinsic
def scale(typing_context, y, first, end, x, o, a):
    """y[first:end] = a x[o + first : o + end]."""

    def generate(context, builder, signature, arguments):
        y, first, end, x, o, a = arguments
        factor = splat(builder, a)
        with _eights(builder, first, end) as m:
            block = builder.load(pointer(context, builder, signature.args[3], x, builder.add(o, m)), align=8)
            target = pointer(context, builder, signature.args[0], y, m)
            builder.store(builder.fmul(factor, block), target, align=8)
        return context.get_dummy_value()

    return types.void(y, types.intp, types.intp, x, types.intp, types.float64), generate


@intrinsic
def clear(typing_context, y, first, end):
    """y[first:end] = 0."""

    def generate(context, builder, signature, arguments):
        y, first, end = arguments
        with _eights(builder, first, end) as m:
            zero = ir.Constant(VECTOR, [0.0] * LANES)
            builder.store(zero, pointer(context, builder, signature.args[0], y, m), align=8)
        return context.get_dummy_value()

    return types.void(y, types.intp, types.intp), generate


@intrinsic
def meet4(typing_context, y, squares, m, x, o, pitch, a0, a1, a2, a3):
    """Of four rows of x, `pitch` apart, in their order: y[m:m+8] += a_t x_t and squares[m:m+8] += x_t², each x read
    once; bounds are the caller's care.
    """

    def generate(context, builder, signature, arguments):
        y_type, squares_type, x_type = signature.args[0], signature.args[1], signature.args[3]
        y, squares, m, x, o, pitch = arguments[:6]
        targets = pointer(context, builder, y_type, y, m), pointer(context, builder, squares_type, squares, m)
        total, square = (builder.load(target, align=8) for target in targets)
        offset = builder.add(o, m)
        for factor in arguments[6:]:
            block = builder.load(pointer(context, builder, x_type, x, offset), align=8)
            total = builder.fadd(total, builder.fmul(splat(builder, factor), block, flags=CONTRACT), flags=CONTRACT)
            square = builder.fadd(square, builder.fmul(block, block, flags=CONTRACT), flags=CONTRACT)
            offset = builder.add(offset, pitch)
        builder.store(total, targets[0], align=8)
        builder.store(square, targets[1], align=8)
        return context.get_dummy_value()

    return types.void(y, squares, types.intp, x, types.intp, types.intp, *(types.float64,) * 4), generate


@intrinsic
def dot(typing_context, x, i, y, j, blocks):
    """Σ_m x[i+m] y[j+m] over 8·blocks entries: eight partial sums, then their sum; bounds are the caller's care."""

    def generate(context, builder, signature, arguments):
        x_type, _, y_type, _, _ = signature.args
        total = cgutils.alloca_once_value(builder, ir.Constant(VECTOR, [0.0] * LANES))
        with each(builder, arguments[4]) as k:
            shift = builder.mul(k, ir.Constant(k.type, LANES))
            left = pointer(context, builder, x_type, arguments[0], builder.add(arguments[1], shift))
            right = pointer(context, builder, y_type, arguments[2], builder.add(arguments[3], shift))
            product = builder.fmul(builder.load(left, align=8), builder.load(right, align=8), flags=CONTRACT)
            builder.store(builder.fadd(builder.load(total), product, flags=CONTRACT), total)
        sums = builder.load(total)
        for half in (4, 2, 1):
            sums = builder.fadd(sums, rotated(builder, sums, half))
        return builder.extract_element(sums, ir.Constant(_INT, 0))

    return types.float64(x, types.intp, y, types.intp, types.intp), generate


@intrinsic
def borrow(typing_context, array, first):
    """The memory of `array` from entry `first` on, as a bare pointer: nothing to count, little to compile.

    The caller keeps the array.
    """

    def generate(context, builder, signature, arguments):
        return _entry(context, builder, signature.args[0], *arguments)

    return types.CPointer(array.dtype)(array, types.intp), generate


def _tile(rows: int, vectors: int):
    """Code for a rows × 8·vectors block of a product, kept in registers; arguments as in `tile1`."""

    def generate(context, builder, signature, arguments):
        y_type, a_type, b_type = signature.args[0], signature.args[3], signature.args[7]
        y, o, pitch, a, i, step, rise, b, j, width, pace, n = arguments
        index = o.type
        targets, totals = [], []
        for row in range(rows):
            shift = builder.add(o, builder.mul(pitch, ir.Constant(index, row)))
            for v in range(vectors):
                target = pointer(context, builder, y_type, y, builder.add(shift, ir.Constant(index, LANES * v)))
                targets.append(target)
                totals.append(cgutils.alloca_once_value(builder, builder.load(target, align=8)))
        with each(builder, n) as k:
            shift = builder.add(j, builder.mul(k, pace))
            blocks = []
            for v in range(vectors):
                offset = builder.add(shift, builder.mul(width, ir.Constant(index, v)))
                blocks.append(builder.load(pointer(context, builder, b_type, b, offset), align=8))
            first = builder.add(i, builder.mul(k, step))
            for row in range(rows):
                place = builder.add(first, builder.mul(rise, ir.Constant(index, row)))
                factor = splat(builder, builder.load(_entry(context, builder, a_type, a, place)))
                for v in range(vectors):
                    total = totals[row * vectors + v]
                    product = builder.fmul(factor, blocks[v], flags=CONTRACT)
                    builder.store(builder.fadd(builder.load(total), product, flags=CONTRACT), total)
        for target, total in zip(targets, totals, strict=True):
            builder.store(builder.load(total), target, align=8)
        return context.get_dummy_value()

    return generate


def _tile_type(y, a, b):
    return types.void(y, types.intp, types.intp, a, *(types.intp,) * 3, b, *(types.intp,) * 4)


@intrinsic
def tile1(typing_context, y, o, pitch, a, i, step, rise, b, j, width, pace, n):
    """y[o + r·pitch : +8] += Σ_{k<n} a[i + k·step + r·rise] b[j + k·pace : +8] for r < 8, in the order of k."""
    return _tile_type(y, a, b), _tile(8, 1)


@intrinsic
def tile2(typing_context, y, o, pitch, a, i, step, rise, b, j, width, pace, n):
    """The same for sixteen columns of y; the second eight of b stand `width` numbers after the first."""
    return _tile_type(y, a, b), _tile(8, 2)


@intrinsic
def half_tile1(typing_context, y, o, pitch, a, i, step, rise, b, j, width, pace, n):
    """`tile1` for four rows."""
    return _tile_type(y, a, b), _tile(4, 1)


@intrinsic
def half_tile2(typing_context, y, o, pitch, a, i, step, rise, b, j, width, pace, n):
    """`tile2` for four rows."""
    return _tile_type(y, a, b), _tile(4, 2)
