"""Writes the results of measure.py as docs/benchmarks.md, a chart and the README's table.

report.py            writes them anew from docs/benchmarks.json
report.py --check    says whether they are what it would write, by its exit code
"""

import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = ROOT / "docs/benchmarks.json"
PAGE = ROOT / "docs/benchmarks.md"
CHART = ROOT / "docs/img/benchmarks.svg"
README = ROOT / "README.md"
BEGIN, END = "<!-- numbers: written by make bench-peers -->", "<!-- end of numbers -->"
PEER_IMAGE = "bench-peers:latest"  # what llm-sandbox runs programs in
LANGUAGES = {"python": "Python", "javascript": "JavaScript"}
NOTE = {
    "bare interpreter": "no isolation, no judgement",
    "docker run": "a container, no judgement",
    "llm-sandbox, new container": "open and run; removing the container comes on top",
    "llm-sandbox, its pool": "containers are used again by the next program",
    "srt": "Anthropic's sandbox-runtime: bubblewrap around a process of the host, no judgement",
    "srt, its library": "the same from a process that keeps its proxies",
    "sallyport, gVisor, cold": "`sallyport run`, the whole command",
    "sallyport, Docker, cold": "`sallyport --backend docker run`, the whole command",
    "sallyport, gVisor, waiting": "a call of `sallyport mcp`, judged and recorded",
    "sallyport, Docker, waiting": "the same with the Docker backend",
}

# Whose runs a second and memory are compared: of what the memory is, what a program is kept in, for how long, and what else is done.
RATED = {
    "bare interpreter": ("a run in progress", "nothing", "", "on", "no", "no"),
    "docker run": ("a run in progress", "a container", "new", "off as asked, on by default", "no", "no"),
    "llm-sandbox, its pool": ("a container that waits", "a container", "used again", "off as asked, on by default", "no", "no"),
    "srt": ("a run in progress", "namespaces; it reads the host's files", "new", "off, or hosts of a list", "no", "no"),
    "srt, its library": ("a run in progress", "namespaces; it reads the host's files", "new", "off, or hosts of a list", "no", "no"),
    "sallyport, gVisor, waiting": ("a sandbox that waits", "a kernel of its own", "new", "off, or what policy allows", "yes", "yes"),
    "sallyport, Docker, waiting": ("a container that waits", "a container", "new", "off, or what policy allows", "yes", "yes"),
}


def ms(value):
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.1f} ms"


def times(value):
    return f"{value:,.0f} ×" if value >= 10 else f"{value:.1f} ×"


def a_second(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def mib(value):
    return f"{value:,.1f}"


def count(callers):
    return "1 caller" if callers == "1" else f"{callers} callers"


def cell(row):
    return "not available" if "missing" in row else ms(row["ms"])


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(r) + " |" for r in rows)])


def speed_rows(results):
    for name in NOTE:
        row = [bold(name)]
        for language in LANGUAGES:
            r = results["speed"][language][name]
            row += [cell(r), "" if "missing" in r else times(r["ratio"])]
        yield [*row, NOTE[name]]


def bold(name):
    return f"**{name}**" if name.startswith("sallyport") else name


def rate_rows(results, language):
    for name in RATED:
        row = [bold(name)]
        for rows in results["rate"][language].values():
            r = rows[name]
            row += ["not available", "", "", "", ""] if "missing" in r else [a_second(r["rate"]), ms(r["p50"]), ms(r["p99"]), ms(r["cpu"]), failed(r)]
        yield row


def failed(row):
    return f"{row['failed']} of {row['failed'] + row['runs']}" if row["failed"] else "0"


def memory_rows(results):
    for name, (of, *_) in RATED.items():
        row = [bold(name)]
        for language in LANGUAGES:
            r = results["memory"][language][name]
            row += ["not available", ""] if "missing" in r else [mib(r["private"]), mib(r["share"])]
        yield [*row, of]


def rates(results):
    """The section about many callers and memory."""
    out = [
        "## Runs a second, and memory", "",
        "One-line programs again, now one after the other without a pause by one caller, and by 16 side by side: each way has turns,",
        "in each of which only what comes after the first runs counts, so that nothing lives on what waited before. sallyport's",
        "figures contain judging each program and its record, synced to disk. *p50* and *p99* are times to the answer of one run; of",
        "a hundred runs or fewer p99 is nearly the longest. *Processor* is what the whole machine spent for a run, engine and callers and all.", "",
        table(["", "kept in", "each run", "network", "judged", "recorded"], [[bold(name), *what] for name, (_, *what) in RATED.items()]), "",
    ]
    for language, title in LANGUAGES.items():
        head = sum(([f"{count(c)}: runs/s", "p50", "p99", "processor", "failed"] for c in results["rate"][language]), [""])
        out += [f"### {title}, runs a second", "", table(head, rate_rows(results, language)), ""]
    return out + [
        "### Memory", "",
        "MiB: *own* is memory that nobody else has, *share* adds the part of the files in use together. Where sandboxes wait it is that of",
        "each, the engine's process beside a container included; where nothing waits it is the most that one run has while it sleeps, with the command",
        "that started it. Not counted: what is there once for all, which is the engine, the process with the pool or the library, and",
        "sallyport's server. In a container that waits for llm-sandbox no interpreter has started yet; in one of sallyport's it has.", "",
        table(["", "Python, own", "share", "JavaScript, own", "share", "of"], memory_rows(results)), "",
        "docker run and srt keep nothing waiting. srt is given its tightest settings: no host, nothing to write.", "",
    ]


# What one may be ahead in: the key, the words, whether more is better, and how it is written.
MEASURES = {
    "rate": ("runs a second", True, a_second),
    "p99": ("p99", False, ms),
    "cpu": ("processor time of a run", False, ms),
    "private": ("memory of its own", False, lambda value: f"{mib(value)} MiB"),
}
OURS = [name for name in RATED if name.startswith("sallyport")]


def better(theirs, ours):
    """In what a row is ahead of one of ours, in words."""
    for key, (words, more, shown) in MEASURES.items():
        if key in theirs and key in ours and (theirs[key] > ours[key] if more else theirs[key] < ours[key]):
            yield f"{words} {shown(theirs[key])} against {shown(ours[key])}"


def behind_rates(results):
    """Sentences about everything that does more runs a second, or does them with less, than sallyport."""
    cells = {f"{title}, {count(c)}": rows for language, title in LANGUAGES.items() for c, rows in results["rate"][language].items()}
    cells |= {f"{title}, memory": results["memory"][language] for language, title in LANGUAGES.items()}
    said = []
    for where, rows in cells.items():
        for ours in OURS:
            ahead = [f"{name} ({', '.join(what)})" for name, r in rows.items() if name not in OURS and (what := list(better(r, rows[ours])))]
            if ahead:
                said.append(f"{where}: ahead of {ours}: {'; '.join(ahead)}.")
    return said


def check_rows(results):
    whats = list(results["check"])
    for name in results["check"][whats[0]]:
        row = [bold(name)]
        for what in whats:
            r = results["check"][what][name]
            row += [cell(r), "" if "missing" in r else times(r["ratio"])]
        yield row


def detection_rows(results, language):
    d = results["detection"][language]
    for name, r in d["rows"].items():
        name = bold(name)
        if "missing" in r:
            yield [name, "not available", "", ""]
            continue

        def share(key, of):
            return f"{r[key]} of {d[of]} ({r[key] * 100 / d[of]:.1f} %)"

        yield [name, share("forbidden", "forbidden"), share("deny", "deny"), share("alarms", "allow")]


def behind(results):
    """Sentences about everything that is faster, or finds more, than sallyport."""
    said = []
    for language, title in LANGUAGES.items():
        speed = results["speed"][language]
        ours = speed["sallyport, gVisor, waiting"]
        for name, r in speed.items():
            if not name.startswith("sallyport") and "missing" not in r and r["ratio"] < 1:
                said.append(f"{title}: {name} answers sooner than a waiting gVisor sandbox ({ms(r['ms'])} against {ms(ours['ms'])}).")
        run, cold = speed["docker run"], speed["sallyport, gVisor, cold"]
        if "missing" not in run and run["ms"] < cold["ms"]:
            said.append(f"{title}: docker run is faster than a cold gVisor sandbox ({ms(run['ms'])} against {ms(cold['ms'])}).")
        container = speed["sallyport, Docker, cold"]
        rivals = [n for n in ("docker run", "llm-sandbox, new container", "llm-sandbox, its pool") if "missing" not in speed[n]]
        ahead = [f"{n} ({ms(speed[n]['ms'])})" for n in rivals if speed[n]["ms"] < container.get("ms", 0)]
        if ahead:
            said.append(f"{title}: faster than sallyport's cold Docker backend ({ms(container['ms'])}): {', '.join(ahead)}.")
        d = results["detection"][language]["rows"]
        strict = d["sallyport, strict"]["alarms"]
        if any(r["alarms"] < strict for name, r in d.items() if not name.startswith("sallyport") and "missing" not in r):
            said.append(f"{title}: strict denies {strict} of {results['detection'][language]['allow']} ordinary programs, more than others flag.")
        for name, r in d.items():
            if name.startswith("sallyport") or "missing" in r:
                continue
            if r["forbidden"] > d["sallyport, baseline"]["forbidden"]:
                said.append(f"{title}: {name} finds more than baseline does.")
            if r["alarms"] < d["sallyport, baseline"]["alarms"]:
                said.append(f"{title}: {name} raises fewer false alarms than baseline does.")
    for what, rows in results["check"].items():
        for name, r in rows.items():
            if name != "sallyport check" and "missing" not in r and r["ratio"] < 1:
                said.append(f"{name} judges {what} sooner than sallyport check does.")
    return said


def page(results):
    v, m = results["versions"], results["machine"]
    used = ", ".join(f"{name} {version.removeprefix(name).strip()}" for name, version in v.items())
    said = behind(results) + behind_rates(results)
    missing = [f"- {name}: {why}" for name, why in results["missing"].items()]
    head = [
        "# Benchmarks", "",
        "Written by `make bench-peers WRITE=1`, which measures everything on one machine in one go, in rounds in which each way takes",
        f"its turn. This run: {results['date']}, {m['processors']} processors, {m['system']}, load {m['load']} at the start.", "",
        f"Versions: {used}.", "", *([busy(results), ""] if busy(results) else []),
        "![Time to the answer of a one-line program](img/benchmarks.svg)", "",
        "## Running a one-line program", "",
        "Median time until the whole answer is there. The factor is the median ratio to a waiting gVisor sandbox, pair by pair.", "",
        table(["", "Python", "", "JavaScript", "", ""], speed_rows(results)), "",
        "llm-sandbox is given its best case: an image that has everything, `skip_environment_setup`, and an init process (without",
        "one, closing a container takes ten seconds). With its defaults a first run also makes a virtual environment. Its pool hands",
        "a used container to the next program; sallyport uses each sandbox once. Both have the network off here; llm-sandbox",
        "leaves it on by default.", "",
        "Not measured: code-sandbox-mcp, because the package of that name on PyPI needs an account with E2B, and philschmid's",
        "server of that name, which is not on PyPI, runs programs through llm-sandbox without a pool: see that row.", "",
        *rates(results),
        "## Judging without running", "",
        "The whole command, as a hook or a CI job pays for it; semgrep with the security rules",
        "for the language itself, not those for frameworks (`python/lang` of semgrep-rules).", "",
        table(["", *sum(([w, ""] for w in results["check"]), [])], check_rows(results)), "",
        "## Detection and false alarms", "",
        "On the labelled programs of `testdata/corpus`. Read this with care: we assembled that corpus, sallyport was developed with",
        "it, and bandit and Semgrep's rules look for vulnerabilities in code that people wrote, not for what a program can do.",
        "*Forbidden* are the programs that reach a capability that `baseline` forbids, many of them in disguise; *all* adds those that",
        "read files or the environment, which only `strict` denies; *ordinary* are programs that should pass. Comments that switch a",
        "tool off have no effect on any of them here.", "",
    ]
    for language, title in LANGUAGES.items():
        head += [f"### {title}", "", table(["", "forbidden, found", "all, found", "ordinary, flagged"], detection_rows(results, language)), ""]
    head += ["llm-sandbox's presets are those of its source distribution; they are patterns for Python, and advisory: `run` does not ask them.", ""]
    head += ["## Where a peer is ahead", "", *([f"- {s}" for s in said] or ["Nowhere in this run."]), ""]
    head += ["## What was not to be had", "", *(missing or ["Nothing: every peer was measured."]), ""]
    return "\n".join(head)


def readme_block(results):
    rows = []
    for row in speed_rows(results):
        rows.append([row[0], row[1], row[3]])
    said = behind(results)
    if behind_rates(results):
        said.append("In runs a second, processor time or memory some peers are ahead in some respect: "
                    "[which, and in what](docs/benchmarks.md#where-a-peer-is-ahead).")
    one, many = list(results["check"])
    check = results["check"]

    def factor(name):
        parts = [check[w][name] for w in (one, many)]
        return "was not measured" if any("missing" in p for p in parts) else f"took {' and '.join(times(p['ratio']) for p in parts)} that"

    lines = [
        table(["one-line program, time to the answer", "Python", "JavaScript"], rows), "",
        f"`sallyport check` took {cell(check[one]['sallyport check'])} for one file and {cell(check[many]['sallyport check'])} for a hundred; "
        f"bandit {factor('bandit')}, semgrep {factor('semgrep')}.",
    ]
    d = results["detection"]["python"]
    shares = []
    for name in ("sallyport, baseline", "bandit, any finding", "llm-sandbox, preset strict", "semgrep, security rules of semgrep-rules"):
        r = d["rows"].get(name, {"missing": ""})
        if "missing" not in r:
            shares.append(f"{name.split(',')[0]} finds {r['forbidden'] * 100 / d['forbidden']:.1f} % and flags {r['alarms']} of {d['allow']} ordinary programs")
    lines += ["On our own Python corpus " + "; ".join(shares) + ".", ""]
    lines += [busy(results), ""] if busy(results) else []
    lines += ["Behind a peer in this run:", "", *(f"- {s}" for s in said)] if said else ["Behind a peer: nothing in this run."]
    return "\n".join(lines)


def busy(results):
    """A warning where other work took part in the measurement."""
    m = results["machine"]
    if m["load"] <= 1.5 * m["processors"]:
        return ""
    return (f"**The machine was busy with other work during this run** (load {m['load']} on {m['processors']} processors): "
            "the times are too long, and the factors are rough.")


# The chart: one panel a language, bars on a logarithmic scale.

BAR, GAP, LEFT, WIDTH = 18, 8, 220, 760
FIRST = 1  # ms, where the bars begin


def across(value, last):
    return (WIDTH - LEFT - 80) * math.log10(max(value, FIRST) / FIRST) / math.log10(last / FIRST)


def chart(results):
    parts, y = [], 34
    last = max(1000, *(r.get("ms", 0) for rows in results["speed"].values() for r in rows.values()))
    for language, title in LANGUAGES.items():
        parts.append(f'<text x="8" y="{y}" class="h">{title}: time to the answer of a one-line program (ms, logarithmic)</text>')
        y += 14
        top = y
        for name in NOTE:
            r = results["speed"][language][name]
            kind = "us" if name.startswith("sallyport") else "them"
            parts.append(f'<text x="{LEFT - 8}" y="{y + 13}" class="l">{name}</text>')
            if "missing" in r:
                parts.append(f'<text x="{LEFT}" y="{y + 13}">not available</text>')
            else:
                w = across(r["ms"], last)
                parts.append(f'<rect x="{LEFT}" y="{y}" width="{w:.1f}" height="{BAR}" rx="2" class="{kind}"/>')
                parts.append(f'<text x="{LEFT + w + 6:.1f}" y="{y + 13}">{ms(r["ms"])}</text>')
            y += BAR + GAP
        for tick in (1, 10, 100, 1000):
            x = LEFT + across(tick, last)
            parts.append(f'<line x1="{x:.1f}" y1="{top - 4}" x2="{x:.1f}" y2="{y - 4}" class="t"/>')
            parts.append(f'<text x="{x:.1f}" y="{y + 8}" class="n">{tick:,}</text>')
        y += 44
    style = (
        "text{font:12px ui-sans-serif,system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:13px}.l{text-anchor:end}"
        ".n{text-anchor:middle;fill:#59636e;font-size:11px}.us{fill:#0969da}.them{fill:#9198a1}.t{stroke:#9198a1;stroke-opacity:.4}"
        "@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.n{fill:#9198a1}.us{fill:#4493f8}.them{fill:#656c76}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y - 24}" viewBox="0 0 {WIDTH} {y - 24}" role="img" '
        f'aria-label="Bar chart: time to the answer of a one-line program">\n<style>{style}</style>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def outputs(results):
    readme = README.read_text()
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not after:
        raise SystemExit(f"README.md lacks {BEGIN} … {END}")
    return {
        PAGE: page(results) + "",
        CHART: chart(results),
        README: f"{before}{BEGIN}\n{readme_block(results)}\n{END}{after}",
        RESULTS: json.dumps(results, indent=1, ensure_ascii=False) + "\n",
    }


def publish(results, write):
    if write:
        for path, text in outputs(results).items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    print(page(results))


def main():
    results = json.loads(RESULTS.read_text())
    if sys.argv[1:] == ["--check"]:
        wrong = [str(p.relative_to(ROOT)) for p, text in outputs(results).items() if not p.exists() or p.read_text() != text]
        if wrong:
            raise SystemExit(f"not what docs/benchmarks.json says: {', '.join(wrong)}; write them with: python3 scripts/bench-peers/report.py")
        return
    for path, text in outputs(results).items():
        path.write_text(text)


if __name__ == "__main__":
    main()
