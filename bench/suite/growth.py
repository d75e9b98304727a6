"""How figures grow with the size: the exponent between neighbouring sizes (1 is proportional, 2 is quadratic)."""
import math

FIGURES = (("wall_s", "wall"), ("cpu_s", "CPU"), ("peak_bytes", "peak memory"))


def growth(tables):
    """From the measured tables of null and cold builds; None if there is only one size."""
    rows = []
    for table in tables:
        if table["name"] in ("null", "cold"):
            rows += _of_table(table)
    if not rows:
        return None
    return {"name": "growth", "title": "Growth", "rows": rows,
            "notes": ["The exponent e of figure ~ size^e between neighbouring sizes; the aim is that nothing grows faster than n log n "
                      "(1.12 from 1,000 to 10,000 and 1.10 from 10,000 to 100,000)."]}


def _of_table(table):
    rows = []
    for tool in dict.fromkeys(row["tool"] for row in table["rows"]):
        mine = [row for row in table["rows"] if row["tool"] == tool and row.get("parallel", 2) == 2]
        for key, words in FIGURES:
            points = [(row["size"], row[key]) for row in mine if row.get(key)]
            if len(points) > 1:
                rows.append({"workload": table["name"], "tool": tool, "figure": key, "words": words,
                             "points": [{"size": size, "figure": figure} for size, figure in points],
                             "exponents": [_exponent(a, b) for a, b in zip(points, points[1:])]})
    return rows


def _exponent(a, b):
    return math.log(b[1] / a[1]) / math.log(b[0] / a[0])
