"""Eight doubles at a time inside compiled loops: y −= a x from one source or four, y = a x, the dot product, and blocks
of a matrix product. Memory is an array, or a bare pointer (`borrow`).

LLVM vectorises a loop of 20 to 60 steps poorly (its main loop takes 32 at once and the rest runs one by one). These
operations say the width; on processors with narrower registers LLVM splits them. Each output entry sees the same
operations in the same order wherever it stands, so results do not depend on padding or position.
"""

from __future__ import annotations

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


def _generator(terms: int):
    """Code for y[m:m+8] -= Σ_t a_t x[o_t+m : +8]; arguments (y, m, x, o_1 … o_terms, a_1 … a_terms)."""

    def generate(context, builder, signature, arguments):
        y_type, x_type = signature.args[0], signature.args[2]
        y, m, x = arguments[:3]
        target = pointer(context, builder, y_type, y, m)
        total = builder.load(target, align=8)
        for t in range(terms):
            offset = builder.add(arguments[3 + t], m)
            block = builder.load(pointer(context, builder, x_type, x, offset), align=8)
            product = builder.fmul(splat(builder, arguments[3 + terms + t]), block, flags=CONTRACT)
            total = builder.fsub(total, product, flags=CONTRACT)
        builder.store(total, target, align=8)
        return context.get_dummy_value()

    return generate


@intrinsic
def subtract1(typing_context, y, m, x, o, a):
    """y[m:m+8] -= a x[o+m:o+m+8]; bounds are the caller's care."""
    return types.void(y, types.intp, x, types.intp, types.float64), _generator(1)


@intrinsic
def subtract4(typing_context, y, m, x, o0, o1, o2, o3, a0, a1, a2, a3):
    """y[m:m+8] -= a0 x[o0+m:…] + … + a3 x[o3+m:…], in this order; bounds are the caller's care."""
    return types.void(y, types.intp, x, *(types.intp,) * 4, *(types.float64,) * 4), _generator(4)


@intrinsic
def scale1(typing_context, y, m, x, o, a):
    """y[m:m+8] = a x[o+m:o+m+8]; bounds are the caller's care."""

    def generate(context, builder, signature, arguments):
        block = builder.load(
            pointer(context, builder, signature.args[2], arguments[2], builder.add(arguments[3], arguments[1])),
            align=8,
        )
        target = pointer(context, builder, signature.args[0], arguments[0], arguments[1])
        builder.store(builder.fmul(splat(builder, arguments[4]), block), target, align=8)
        return context.get_dummy_value()

    return types.void(y, types.intp, x, types.intp, types.float64), generate


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
        with cgutils.for_range(builder, arguments[4]) as loop:
            shift = builder.mul(loop.index, ir.Constant(loop.index.type, LANES))
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
        with cgutils.for_range(builder, n) as loop:
            shift = builder.add(j, builder.mul(loop.index, pace))
            blocks = []
            for v in range(vectors):
                offset = builder.add(shift, builder.mul(width, ir.Constant(index, v)))
                blocks.append(builder.load(pointer(context, builder, b_type, b, offset), align=8))
            first = builder.add(i, builder.mul(loop.index, step))
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
