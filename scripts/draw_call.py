#!/usr/bin/env python3
"""Draws guide/src/call.svg: the steps of a dispatched call, and what they cost.

    cargo bench --bench dispatch      # then its figures (column `more ns`) into guide/figures.json
    cargo run --release -p nitro-figures -- --documents
    scripts/draw_call.py
"""

import json
import pathlib

GUIDE = pathlib.Path(__file__).parent.parent / "guide"
MEASURED = {
    name: value
    for source in json.loads((GUIDE / "figures.json").read_text())["measured"]
    for name, value in source["values"].items()
}
# Nanoseconds over a direct call.
COSTS = {
    "no model": float(MEASURED["dispatch.no-model.ns"]),
    "repeated input": float(MEASURED["dispatch.repeated.ns"]),
    "new input, 200 support vectors": float(MEASURED["dispatch.svm-200.ns"]),
    "new input, 64 trees": float(MEASURED["dispatch.forest-64.ns"]),
}

INK, SOFT, PAPER, LINE = "#1f2328", "#57606a", "#ffffff", "#8c959f"
CALL, MODEL, FRESH = "#ddf4ff", "#dafbe1", "#fff1d6"
WIDTH, LEFT, RIGHT = 420, 16, 404
BOX, GAP = 50, 16

# Title, what it says below, colour, and where the way may end at this step.
STEPS = [
    ("1  Epoch (one load) and device", "nothing new since the last call?", CALL),
    ("2  Features that remembered choices need", "straight, in the function itself", CALL),
    ("3  Inline cache: remembered on this thread?", "eight inputs; yes: go on with 8", CALL),
    ("4  Does anybody watch calls?", "a recording names and times; a capture notes", MODEL),
    ("5  What the model means on this device", "no usable model: the default", MODEL),
]
FRESH_STEPS = [
    ("6  SVM, in f32", "with a bound on", "its error; too near:", "exactly, in f64"),
    ("6  Forest", "each tree adds", "what each variant", "loses at its leaf"),
]
LAST = [
    ("7  The best variant whose constraint admits it", "none: the default; remembered if it holds again", MODEL),
    ("8  Count variant and reason, on this thread", "what nitro::stats() adds up", CALL),
    ("9  One match arm calls the variant", "a plain call, which can be inlined", CALL),
]


def text(x, y, content, size=14, colour=INK, weight="normal", anchor="start"):
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" font-weight="{weight}" text-anchor="{anchor}">{content}</text>'


def box(x, y, width, height, colour, corner=6):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{corner}" fill="{colour}" stroke="{LINE}"/>'


def arrow(x, y, length):
    return f'<path d="M{x} {y}v{length - 5}" stroke="{SOFT}" stroke-width="1.5" marker-end="url(#tip)"/>'


def steps(parts, steps, y):
    for title, note, colour in steps:
        parts += [box(LEFT, y, RIGHT - LEFT, BOX, colour), text(LEFT + 12, y + 21, title, weight="600")]
        parts += [text(LEFT + 32, y + 40, note, 13, SOFT), arrow(WIDTH / 2, y + BOX, GAP)]
        y += BOX + GAP
    return y


def fresh(parts, y):
    width, height = (RIGHT - LEFT - 12) / 2, 88
    for column, (title, *notes) in enumerate(FRESH_STEPS):
        x = LEFT + column * (width + 12)
        parts += [box(x, y, width, height, FRESH), text(x + 12, y + 21, title, weight="600")]
        parts += [text(x + 32, y + 40 + 18 * row, note, 13, SOFT) for row, note in enumerate(notes)]
    parts.append(arrow(WIDTH / 2, y + height, GAP))
    return y + height + GAP


def bars(parts, y):
    parts.append(text(LEFT, y + 16, "Nanoseconds more than a direct call", 15, weight="600"))
    y += 30
    longest = max(COSTS.values())
    colours = [CALL, CALL, FRESH, FRESH]
    for (name, cost), colour in zip(COSTS.items(), colours):
        width = max(2.0, (RIGHT - LEFT - 50) * cost / longest)
        parts += [text(LEFT, y + 12, name, 13), box(LEFT, y + 17, round(width, 1), 14, colour, 2)]
        parts.append(text(round(LEFT + width + 6, 1), y + 29, f"{cost:.0f}", 13, weight="600"))
        y += 40
    return y


def main():
    parts = []
    y = steps(parts, STEPS, 16)
    y = fresh(parts, y)
    y = steps(parts, LAST, y)
    parts.pop()  # nothing comes after the last step
    height = bars(parts, y + 4) + 8
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif" role="img">'
        "<title>The steps of a dispatched call, and what they cost</title>"
        f'<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="3" refY="4" orient="auto">'
        f'<path d="M0 0l8 4l-8 4z" fill="{SOFT}"/></marker></defs>'
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="{PAPER}"/>'  # its own paper: readable on any background
    )
    page = "\n".join([head, *parts, "</svg>\n"])
    (GUIDE / "src/call.svg").write_text(page)


main()
