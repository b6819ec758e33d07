"""What a search looks for in a term: what it needs to have a value, where it splits, which instances may help."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from fedmm_edu.proofs.kernel import Branch, Context
from fedmm_edu.proofs.terms import Malformed, Term, derivative, minus, substitute, variables


def requirements_of(term: Term) -> Iterator[tuple[Term, tuple[str, ...]]]:
    """What must be nonzero, nonnegative or positive for the term to have a value, from the inside."""
    if not isinstance(term, tuple) or term[0] == "if":
        return
    head, *args = term
    for arg in args:
        yield from requirements_of(arg)
    if head == "pow" and args[1] < 0 and isinstance(args[0], tuple | str):
        yield args[0], (">", "!=")
    elif head == "root":
        yield args[1], (">", ">=")
    elif head in ("log", "lgamma", "polygamma"):
        yield args[-1], (">",)


def operations_in(term: Term) -> int:
    """Operations and leaves."""
    return 1 + sum(map(operations_in, term[1:])) if isinstance(term, tuple) else 1


def without_decided(term: Term, book: Branch) -> Term:
    """The term without the pieces that the facts decide."""
    if not isinstance(term, tuple):
        return term
    head, *args = term
    if head in ("abs", "sign", "max", "min", "if"):
        resolved = book.resolve(term)
        if resolved is not None:
            return without_decided(resolved, book)
    if head == "if":
        return (
            head,
            (args[0][0], without_decided(args[0][1], book)),
            *(without_decided(arg, book) for arg in args[1:]),
        )
    if head == "pow":
        return (head, without_decided(args[0], book), args[1])
    return (head, *(without_decided(arg, book) for arg in args))


def switch_of(term: Term) -> Term | None:
    """The innermost first term on whose sign a piece of the term depends."""
    if not isinstance(term, tuple):
        return None
    head, *args = term
    parts = [args[0][1], *args[1:]] if head == "if" else args
    for part in parts:
        if isinstance(part, tuple) and (found := switch_of(part)) is not None:
            return found
    if head in ("abs", "sign"):
        return args[0]
    if head in ("max", "min"):
        return minus(*args)
    return args[0][1] if head == "if" else None


Triple = tuple[Term, Term, Term]
"""a, u and v of the rule `exponential`."""


def instances_of(
    term: Term, swaps: Sequence[Mapping[str, Term]]
) -> tuple[list[tuple[Term, list[Triple]]], list[list[Triple]]]:
    """For log and exp at one point and at another: the parts of a mixture, and tangents of one at the other."""
    pairs: list[Triple] = []
    mixtures: list[tuple[Term, list[Triple]]] = []
    for swap in swaps:
        for node in dict.fromkeys(_outermost(term)):
            u, v = node[1], substitute(node[1], swap)
            if u == v:
                continue
            if node[0] == "exp":
                pairs += [(minus(u, v), Fraction(1), Fraction(1)), (minus(v, u), Fraction(1), Fraction(1))]
                continue
            pairs += [(Fraction(0), u, v), (Fraction(0), v, u)]
            if isinstance(u, tuple) and u[0] == "+":
                shares = [("*", p, ("pow", u, -1)) for p in u[1:]]
                mixtures.append((node, [(Fraction(0), share, substitute(share, swap)) for share in shares]))
                mixtures.append((node, [(Fraction(0), substitute(share, swap), share) for share in shares]))
    return mixtures[:4], [pairs] if 0 < len(pairs) <= 12 else []


def of_constants(term: Term) -> list[Triple]:
    """For the numbers eᶜ with a rational c in it: e^|c| ≥ 1 + |c|, which says that e^−|c| is below 1."""
    found = {abs(c) for node in _outermost(term) if node[0] == "exp" for c in _offsets(node[1])}
    return [(c, Fraction(1), Fraction(1)) for c in sorted(found)][:4]


def _offsets(term: Term) -> Iterator[Fraction]:
    """The rational number that a term adds, if any but 0."""
    parts = term[1:] if isinstance(term, tuple) and term[0] == "+" else (term,)
    if total := sum((part for part in parts if isinstance(part, Fraction)), Fraction(0)):
        yield total


def _outermost(term: Term) -> Iterator[tuple]:
    """The logarithms and exponentials that stand in no other."""
    if not isinstance(term, tuple):
        return
    if term[0] in ("log", "exp"):
        yield term
        return
    for part in term[1:]:
        yield from _outermost(part)


def logarithms_in(term: Term) -> list[tuple]:
    """The logarithms that stand in no other one and in no exponential."""
    return [node for node in dict.fromkeys(_outermost(term)) if node[0] == "log"]


def slope_of(term: Term, x: str) -> Fraction | None:
    """The slope of a term that is affine in x with a rational slope ≠ 0."""
    try:
        slope = Branch(Context(), ()).normal.of(derivative(term, x))
    except Malformed:
        return None
    return Fraction(slope.top[()]) if set(slope.top) == {()} and not slope.bottom else None


def separate_parts(f: Term, names: Collection[str]) -> list[tuple[Term, tuple[str, ...]]]:
    """The parts of a sum that share none of the variables `names`, each with its own; affine summands are left out."""
    groups: list[tuple[list[Term], set[str]]] = []
    for part in summands(f):
        own = variables(part) & set(names)
        if not own or _is_affine(part, own):
            continue
        met = [group for group in groups if group[1] & own]
        groups = [group for group in groups if not group[1] & own]
        groups.append(([*(p for parts, _ in met for p in parts), part], own.union(*(xs for _, xs in met))))
    return [(parts[0] if len(parts) == 1 else ("+", *parts), tuple(sorted(own))) for parts, own in groups]


def summands(term: Term) -> Iterator[Term]:
    """The summands, those of a sum in a product multiplied out."""
    if isinstance(term, tuple) and term[0] == "+":
        for part in term[1:]:
            yield from summands(part)
        return
    product = isinstance(term, tuple) and term[0] == "*"
    sums = [k for k, arg in enumerate(term) if isinstance(arg, tuple) and arg[0] == "+"] if product else []
    if not sums:
        yield term
        return
    k = sums[0]
    for part in term[k][1:]:
        yield from summands((*term[:k], part, *term[k + 1 :]))


def _is_affine(term: Term, names: Collection[str]) -> bool:
    """Whether all second derivatives vanish as they are written."""
    try:
        return all(derivative(derivative(term, x), y) == 0 for x in names for y in names)
    except Malformed:
        return False


def collected(term: Term) -> Term:
    """The same with the powers of equal factors, and with equal summands, taken together; nothing is multiplied out."""
    total: dict[tuple, Fraction] = {}
    for c, powers in products_in(term):
        total[powers] = total.get(powers, Fraction(0)) + c
    parts = [
        ("*", c, *(base if n == 1 else ("pow", base, n) for base, n in powers)) for powers, c in total.items() if c
    ]
    return parts[0] if len(parts) == 1 else ("+", *parts)


def products_in(term: Term) -> list[tuple[Fraction, tuple]]:
    """The summands, each as a number times powers of terms."""
    if not isinstance(term, tuple):
        return [(Fraction(1), ((term, 1),))] if isinstance(term, str) else [(Fraction(term), ())]
    head, *args = term
    if head == "+":
        return [product for arg in args for product in products_in(arg)]
    if head not in ("*", "pow"):
        return [(Fraction(1), ((term, 1),))]
    c, powers = Fraction(1), dict[Term, int]()
    for arg, n in [(args[0], args[1])] if head == "pow" else [(arg, 1) for arg in args]:
        inner = products_in(arg)
        if len(inner) == 1 and (inner[0][0] or n >= 0):
            (k, found) = inner[0]
            c *= k**n
        else:
            found = ((collected(arg), 1),)
        for base, m in found:
            powers[base] = powers.get(base, 0) + n * m
    return [(c, tuple(sorted(((base, n) for base, n in powers.items() if n), key=repr)))]
