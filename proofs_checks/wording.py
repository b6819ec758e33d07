r"""Words made from what is judged: a slot ‹…› in a row's words stands for an argument of its check.

‹rate› is the formula that the check gets, in the letters of the check's own `parse`; ‹rate·› the same as a factor (not
written if it is 1); ‹+sign·› a signed factor, ‹-sign·› one that is subtracted; ‹^power› an exponent; ‹relation› a
relation; ‹at: own=T(s); other=T(s')› words for the values that the argument can have, ‹at: every=every; some=some› a
quantifier. ‹level|a,gamma=\gamma_t› keeps the letter a, and sets another. An arrow says that the constant is tight:
‹rate↓› is refuted if it is any smaller, ‹gain↑› if it is any larger, ‹rate↓1/2› where half of it is. In the hypotheses,
‹hypotheses› stands for one entry for each that the check is given, in the words of `SAYS` in the check's module, of the
slot or of `SAID`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fedmm_edu.errors import InvalidInput
from proofs_checks.arguments import beneath

SLOT = re.compile(r"‹([+^-]?)(\w+)(·?)([↑↓]?)(\d+/\d+)?(?:\|([^:›]+))?(?:: ([^›]*))?›")
RELATIONS = {"<=": r"\leq", ">=": r"\geq", "==": "=", ">": ">", "<": "<"}
NEARLY = {"↓": Fraction(99, 100), "↑": Fraction(101, 100)}
"""What makes a tight constant false by a hundredth."""
SWAPPED = {"every": "some", "some": "every"}
"""The quantifiers that an argument can be."""
SAID = {
    "A3": "A3",
    "A4": r"A4($\omega$)",
    "A5": "A5($p$), in the definition of $\\tilde Q$",
    "A6": "A6(i)",
    "A6(ii)": r"$\sup_{\mathcal{S}}\|h\| \leq M < \infty$ (A6(ii))",
    "A8": r"A8: 𝒮 closed and convex, $B_t = B(\hat S_t)$",
    "A8(i)": "𝒮 closed and convex (A8(i))",
    "A8(ii)": r"$B_t = B(\hat S_t)$ (A8(ii))",
    "independent oracles": "agents independent given $F_t$ (L 667)",
    "independent compressors": "compression steps independent as maps (L 704)",
    "γ < v_min/(2C̄)": r"$\gamma_{t+1} < v_{\min}/(2\bar C)$",
    "γ ≤ v_min/(2C̄)": r"$\gamma \leq v_{\min}/(2\bar C)$",
    "γ ≤ 1": r"$0 < \gamma \leq 1$",
    "γ ≤ 1/2": r"$0 < \gamma \leq 1/2$",
    "α ≥ 0": r"$\alpha \geq 0$",
    "α ≤ 1/(1+ω_p)": r"$\alpha \leq 1/(1+\omega_p)$",
    "𝒮 convex": "𝒮 closed and convex",
    "Ŝ_t ∈ 𝒮": r"$\hat S_t \in$ 𝒮, as the algorithm has it",
    "unbiased": r"$E[H_{t+1} \mid F_t] = h(\hat S_t)$",
    "mean in 𝒮": r"$E_\pi[\bar S(Z, T(\hat S_t))] \in \mathcal{S}$ (MM-1)",
    "retraction": r"Π maps into 𝒮 and $\|\Pi(x) - m\| \leq \|x - m\|$ for $m \in \mathcal{S}$",
    "no projection": r"no projection is active: $\hat S_t + \gamma_{t+1}H_{t+1} \in \mathcal{S}$ in every outcome",
    "Lipschitz": r"$\phi \circ T$ is $L_T$-Lipschitz on 𝒮",
    "interior points": "𝒮 has interior points",
    "S̄ Lipschitz": r"$\|E\bar S(Z,T(s'))-E\bar S(Z,T(s))\| \leq \ell\|\phi(T(s'))-\phi(T(s))\|$",
    "growth": r"for s ∈ 𝒮 and θ ∈ T(𝒮): $J_s(\theta) \geq J_s(T(s)) + \frac{\kappa}{2}\|\theta-T(s)\|^2$",
    "φ Lipschitz in θ": r"$\|\phi(\theta')-\phi(\theta)\| \leq \ell_\phi\|\theta'-\theta\|$ on T(𝒮)",
    "S̄ Lipschitz in θ": r"$\|E\bar S(Z,\theta')-E\bar S(Z,\theta)\| \leq \ell_S\|\theta'-\theta\|$ on T(𝒮)",
}
"""How a reader sees the hypotheses of the checks; those that are not here have a name of their own, as MM-1 has."""


@dataclass(frozen=True)
class Slot:
    """One argument in the words: `lead` +, - or ^, `factor` for a product, `letters` kept, `options`.

    `tight` is an arrow, `part` the share of the constant that is refuted where that is no hundredth less or more.
    """

    lead: str
    name: str
    factor: bool
    tight: str
    part: str
    letters: Mapping[str, str]
    options: Mapping[str, str]


def slots(text: str) -> Iterator[Slot]:
    """The slots of the words, in their order."""
    yield from (_slot(match) for match in SLOT.finditer(text))


def arguments(check: Callable[..., Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """Every argument with which the check judges the form: what the form says, else the check's own default."""
    fixed: dict[str, Any] = {}
    while isinstance(check, partial):
        fixed = {**dict(zip(inspect.signature(check.func).parameters, check.args, strict=False)), **check.keywords}
        check = check.func
    parameters = inspect.signature(check).parameters
    own = {name: each.default for name, each in parameters.items() if each.default is not inspect.Parameter.empty}
    return {**own, **fixed, **form}


def worded(text: str, check: Callable[..., Any], form: Mapping[str, Any]) -> str:
    """The words with each slot filled; `InvalidInput` for an argument, or a value, that the words do not have."""
    given = arguments(check, form)
    parse = _parse(check)

    def fill(match: re.Match[str]) -> str:
        slot = _slot(match)
        if slot.name not in given:
            raise InvalidInput(f"the slot ‹{slot.name}› names no argument of the check: use {', '.join(given)}.")
        return _shown(slot, given[slot.name], parse)

    filled = SLOT.sub(fill, text)
    if "‹" in filled or "›" in filled:
        raise InvalidInput(f"a slot of {text!r} cannot be read: write ‹name›, ‹name·›, ‹+name·› or ‹^name›.")
    return filled


def entries(texts: tuple[str, ...], check: Callable[..., Any], form: Mapping[str, Any]) -> tuple[str, ...]:
    """The hypotheses with each slot filled; ‹hypotheses› becomes one entry for each that the check is given."""
    return tuple(worded(text, check, form) for text in _listed(texts, check, form))


def _listed(texts: tuple[str, ...], check: Callable[..., Any], form: Mapping[str, Any]) -> Iterator[str]:
    """The words with an entry for each of the hypotheses, whose own slots are not filled yet."""
    for text in texts:
        if text.startswith("‹hypotheses"):
            said = {**SAID, **_of_module(check, "SAYS", {}), **next(slots(text)).options}
            yield from (str(said.get(name, name)) for name in arguments(check, form)["hypotheses"])
        else:
            yield text


def formula(text: str, parse: Callable[[str], sp.Expr], letters: Mapping[str, str] | None = None) -> str:
    """A formula of a check in LaTeX, as it is written; its names are printed as what `parse` makes of them."""
    return _Printer(parse, letters or {}).tex(_read(text))


def wrong(texts: tuple[str, ...], check: Callable[..., Any], form: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Falsified forms of the words: each hypothesis dropped, sign flipped, quantifier swapped, tight constant bettered.

    They are named by what was done, and keep what else the form says.
    """
    given = arguments(check, form)
    found: dict[str, dict[str, Any]] = {}
    for slot in _each((*texts, *_listed(texts, check, form))):
        value = given[slot.name]
        if slot.name == "hypotheses":
            for name in value:
                found[f"{name} dropped"] = {**form, "hypotheses": tuple(other for other in value if other != name)}
        elif slot.options.keys() == SWAPPED.keys():
            found[f"{slot.name}: {SWAPPED[value]} in place of {value}"] = {**form, slot.name: SWAPPED[value]}
        elif slot.lead in ("+", "-"):
            flipped = f"-({value})" if _named(value) else _like(value, -_number(value))
            found[f"{slot.name}: the sign flipped"] = {**form, slot.name: flipped}
        if slot.tight:
            part = Fraction(slot.part) if slot.part else NEARLY[slot.tight]
            factor = sp.Rational(part.numerator, part.denominator) if isinstance(value, sp.Basic) else part
            nearly = f"{factor}*({value})" if _named(value) else _like(value, factor * _number(value))
            done = "a hundredth larger" if slot.tight == "↑" else "a hundredth smaller"
            found[f"{slot.name}: {f'{part} of it' if slot.part else done}"] = {**form, slot.name: nearly}
    return found


def tight(texts: tuple[str, ...], check: Callable[..., Any], form: Mapping[str, Any]) -> list[str]:
    """The constants with an arrow alone, as formulas."""
    found = {slot.name: slot for text in texts for slot in slots(text) if slot.tight and not slot.part}.values()
    given, parse = arguments(check, form), _parse(check)
    return [f"${formula(str(given[slot.name]), parse, slot.letters)}$" for slot in found]


def _each(texts: tuple[str, ...]) -> list[Slot]:
    """The slots, those that are alike once."""
    return list({slot.name + slot.lead + slot.tight: slot for text in texts for slot in slots(text)}.values())


def _named(value: Any) -> bool:
    """Whether this is a formula with names, and no number."""
    return isinstance(value, str) and re.search(r"[^\W\d]", value) is not None


def _number(value: Any) -> Any:
    return Fraction(value) if isinstance(value, str) else value


def _like(value: Any, number: Any) -> Any:
    return str(number) if isinstance(value, str) else number


def _slot(match: re.Match[str]) -> Slot:
    lead, name, factor, tight, part, letters, options = match.groups()
    pairs = (option.partition("=") for option in (options or "").split("; ") if option)
    kept = {one.partition("=")[0]: one.partition("=")[2] or one for one in (letters or "").split(",") if one}
    return Slot(lead, name, bool(factor), tight, part or "", kept, {value: words for value, _, words in pairs})


def _shown(slot: Slot, value: Any, parse: Callable[[str], sp.Expr]) -> str:
    if slot.options:
        if str(value) not in slot.options:
            raise InvalidInput(f"‹{slot.name}› has no words for {value!r}: add them beside {list(slot.options)}.")
        return slot.options[str(value)]
    if isinstance(value, str) and (relation := re.fullmatch(r"([<>=]+)\s*(\S*)", value)):
        return f"{RELATIONS[relation[1]]} {relation[2]}".rstrip()
    node, printer = _read(str(value)), _Printer(parse, slot.letters)
    if slot.lead == "^":
        return "" if str(value) == "1" else f"^{{{printer.tex(node)}}}"
    minus = slot.lead in ("+", "-") and isinstance(node, ast.UnaryOp)
    body = printer.within(node.operand if minus and isinstance(node, ast.UnaryOp) else node)
    if slot.factor:
        body = {"1": "", "(-1)": "-"}.get(body, f"{body} ")
    elif not slot.lead:
        body = printer.tex(node)
    return {"": "", "+": "- " if minus else "+ ", "-": "+ " if minus else "- "}[slot.lead] + body


def _read(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise InvalidInput(f"{text!r} is no formula: write it as SymPy reads it, or give the slot words.") from error


class _Printer:
    """A formula in LaTeX, product by product as it is written; `letters` for names that keep a letter of their own."""

    def __init__(self, parse: Callable[[str], sp.Expr], letters: Mapping[str, str]) -> None:
        self.parse, self.letters = parse, letters

    def tex(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(int() as number):
                return str(number)
            case ast.Name(name):
                return self.letters.get(name) or _plain(self.parse(name))
            case ast.UnaryOp(ast.USub(), inner):
                return f"-{self.within(inner)}"
            case ast.BinOp(left, ast.Add(), right):
                return f"{self.tex(left)} + {self.tex(right)}"
            case ast.BinOp(left, ast.Sub(), right):
                return f"{self.tex(left)} - {self.within(right)}"
            case ast.BinOp(left, ast.Mult(), right):
                return f"{self.within(left)} {self.within(right)}"
            case ast.BinOp(left, ast.Div(), right):
                return rf"\frac{{{self.tex(left)}}}{{{self.tex(right)}}}"
            case ast.BinOp(left, ast.Pow(), right):
                return f"{self.within(left)}^{{{self.tex(right)}}}"
            case ast.Call(ast.Name("sqrt"), [inner]):
                return rf"\sqrt{{{self.tex(inner)}}}"
        raise InvalidInput(f"{ast.unparse(node)!r} cannot be set: use + - * / ** and sqrt, names and whole numbers.")

    def within(self, node: ast.expr) -> str:
        return f"({self.tex(node)})" if _is_sum(node) else self.tex(node)


def _plain(expr: sp.Expr) -> str:
    text = sp.latex(expr).replace(r"\left", "").replace(r"\right", "")
    return f"({text})" if expr.is_Add else text


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, (ast.UnaryOp, ast.BinOp)) and isinstance(node.op, (ast.Add, ast.Sub, ast.USub))


def _parse(check: Callable[..., Any]) -> Callable[[str], sp.Expr]:
    """How the check reads its formulas: `parse` of its module, where there is one."""
    return _of_module(check, "parse", _no_names)


def _of_module(check: Callable[..., Any], name: str, other: Any) -> Any:
    """What the module of the check calls so."""
    return getattr(beneath(check), "__globals__", {}).get(name, other)


def _no_names(name: str) -> sp.Expr:
    raise InvalidInput(f"the check of these words reads no names: give its module a `parse` that knows {name!r}.")
