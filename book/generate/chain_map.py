"""The map of Theorem 1's chain: an SVG whose boxes lead to the rows, and the same as a table."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from book.generate.chain import ASSUMPTIONS, ROWS, Chain, Use, ranks
from book.generate.ledger import page_of
from book.generate.text import myst, raw, table
from proofs_checks.report.markup import Html, el, rich
from proofs_checks.report.records import Record

WIDTH, HEIGHT, COLUMN, LINE = 140, 34, 164, 46
STATED = {"thm1-A": "theorem", "thm1-B": "theorem", "cor1": "corollary"}
"""The rows that the page states, each as a directive of this kind."""
MEANING = r"""
# Theorem 1, lemma by lemma

- $\bar E_{t+1} = \|\Pi(\hat S_t + \gamma_{t+1}h(\hat S_t), B_t) - \hat S_t\|^2_{B_t}/\gamma_{t+1}^2$ says how far
  $\hat S_t$ is from a root of $h$
- $\omega_p = \omega + (1+\omega)\frac{1-p}{p}$, written $\omega$ in (B) and in the corollary
- $\bar C = C_{\star\star} + \sup_{\mathcal{S}}\|h\|\,C_\star$, $\sigma^2 = n\sum_i\mu_i^2\sigma_i^2$,
  $L^2 = n\sum_i\mu_i^2L_i^2$, $K = \frac{v_{\max}}{v_{\min}}\frac{L^2}{n}$
- $G_t = \sum_i\mu_i^2\|V_{t,i} - h_i(\hat S_t)\|^2$, the error of the control variates
"""
LEAD = """\
## The map

Each box on the right is a row of the ledger, proved by certificates: an inequality is written as a sum of hypotheses,
times factors that are visibly non-negative, and of squares. **An arrow says that a certificate of the box multiplies
this very hypothesis, or this conclusion of another box.** Nothing here was drawn by hand: the arrows are read from the
certificates when the site is built. Point at a box, or move to it with the tabulator key, to see what it rests on;
click to read its row.
"""
NOTES = """\
Where the printed statement fails, its row holds the amended one, and the certificates are of that. Lemma 2 has no arrow
onward because the certificate of Proposition 2 multiplies MM-2 itself. Where Coq is installed, `make coq` lets it check
every certificate, and prove Theorem 1 (A), (B) and the corollary with them from Algorithm 2 and its assumptions, for
finitely many outcomes a round: nothing about the sequences in between is assumed. Each hypothesis is dropped in turn,
and Coq refuses that proof.
"""


def chain_page(chain: Chain, records: Mapping[str, Record]) -> str:
    """The page; `records` are those of the rows, which say in which document they stand."""

    def link(node: str) -> str:
        return f"{{row}}`{node}`" if node in ROWS else f"[{node}](glossary.md)"

    rows = [
        [f"{ROWS[row]}, {link(row)}", ", ".join(link(use.source) for use in chain.uses if use.row == row),
         "; ".join(map(myst, chain.conditions[row]))]
        for row in ROWS
    ]  # fmt: skip
    shown = table(["statement", "rests on", "and on these conditions and earlier lines of its proof"], rows)
    picture = el(
        "div",
        draw(chain, {row: page_of(records[row]) for row in ROWS}),
        class_="chain full-width",
        tabindex="0",
        role="region",
        aria_label="map, scrolls",
    )
    stated = [statement(records[row], kind) for row, kind in STATED.items()]
    return "\n".join([MEANING, *stated, LEAD, raw(picture), NOTES, "## The same as a table\n", shown])


def statement(record: Record, kind: str) -> str:
    """A row as a directive: what holds, under which hypotheses; as amended, and then as printed, where that fails."""
    amended = record["amended"]
    lines = [
        f"::::{{prf:{kind}}} {ROWS[record['id']].partition(' ')[2]} of the paper, {{row}}`{record['id']}`",
        f":label: paper-{record['id']}", ":nonumber:", "",
        _long(amended["statement"] if amended else record["statement"]), "",
        f"*Hypotheses:* {myst('; '.join(record['hypotheses']))}. *{record['verdict'].capitalize()} as printed.*", "",
        *(["*Printed:*", _long(record["statement"]), ""] if amended else []),
        myst(record["note"]), "::::", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _long(text: str) -> str:
    """A statement whose formulas may be wider than a page: as MathML, cut where lines may break."""
    return raw(el("div", rich(text), class_="ledger"))


def draw(chain: Chain, pages: Mapping[str, str]) -> Html:
    """The SVG: a column for the assumptions, and one more for each step away from them."""
    place = places(chain)
    width = max(x for x, _ in place.values()) + WIDTH + 12
    height = max(y for _, y in place.values()) + HEIGHT + 12
    return el(
        "svg",
        el("title", "Which statement uses which: Theorem 1 rests on Propositions 2 to 4, these on lemmas and A3 to A8"),
        *(_arrow(use, place) for use in chain.uses),
        *(_box(node, *place[node], pages) for node in place),
        viewBox=f"0 0 {width} {height}", width=str(width), height=str(height), role="group", class_="chain-map",
    )  # fmt: skip


def places(chain: Chain) -> dict[str, tuple[float, float]]:
    """Upper left corners: columns by rank; within one, each node near the mean of what it rests on."""
    column = ranks(chain.uses)
    place = {node: (8.0, 8.0 + LINE * k) for k, node in enumerate(ASSUMPTIONS)}
    tall = LINE * len(ASSUMPTIONS)
    for rank in range(1, 1 + max(column.values())):
        nodes = [node for node in ROWS if column[node] == rank]
        wish = {node: mean(place[use.source][1] for use in chain.uses if use.row == node) for node in nodes}
        nodes.sort(key=lambda node: wish[node])
        free = 8.0
        for k, node in enumerate(nodes):
            y = min(max(wish[node], free), 8.0 + tall - LINE * (len(nodes) - k))
            place[node], free = (8.0 + COLUMN * rank, y), y + LINE
    return place


def _arrow(use: Use, place: Mapping[str, tuple[float, float]]) -> Html:
    (x0, y0), (x1, y1) = place[use.source], place[use.row]
    a, b, c, d = x0 + WIDTH, y0 + HEIGHT / 2, x1, y1 + HEIGHT / 2
    bend = max(40.0, (c - a) / 2)
    path = f"M{a:.0f} {b:.0f}C{a + bend:.0f} {b:.0f} {c - bend:.0f} {d:.0f} {c:.0f} {d:.0f}"
    return el("path", d=path, data_from=use.source, data_to=use.row)


def _box(node: str, x: float, y: float, pages: Mapping[str, str]) -> Html:
    row = node in ROWS
    href = f"{pages[node]}.html#{node}" if row else "glossary.html#assumptions"
    text = ROWS[node] if row else node
    lines = [text] if len(text) < 22 else [text[: text.rindex(",") + 1], text[text.rindex(",") + 2 :]]
    words = (
        el("text", line, x=f"{x + WIDTH / 2:.0f}", y=f"{y + 21 + (2 * k - len(lines) + 1) * 7:.0f}")
        for k, line in enumerate(lines)
    )
    shape = el("rect", x=f"{x:.0f}", y=f"{y:.0f}", width=str(WIDTH), height=str(HEIGHT), rx="6")
    return el("a", shape, *words, href=href, data_node=node, class_="statement" if row else "assumption")
