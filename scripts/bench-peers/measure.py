"""Measures sallyport beside its peers and hands the results to report.py.

Every way of running a program takes its turn in every round, in an order that
is shuffled anew, so that load of the machine meets all of them alike; ratios
are medians over the pairs of one round.
"""

import argparse
import concurrent.futures
import contextlib
import datetime
import json
import os
import pathlib
import platform
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import rate
import report
from ways import Missing, Peer, Server, command, ran

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {"python": "print(sum(range(100)))", "javascript": "console.log(99 * 50)"}
ASLEEP = {"python": "import time; time.sleep(3)", "javascript": "setTimeout(() => {}, 3000)"}
FILE = {"python": "main.py", "javascript": "main.js"}
INTERPRETER = {"python": "python", "javascript": "node"}
IMAGES = {"python": "sallyport/python:test", "javascript": "sallyport/node:test"}
# What baseline writes down and lets pass: an ordinary program may show it.
ALLOWED = {"environment", "filesystem.read", "filesystem.write", "signals", "thread"}
# The tightest it takes: no host, nothing to write.
SRT_SETTINGS = {"network": {"allowedDomains": [], "deniedDomains": []}, "filesystem": {"denyRead": [], "allowWrite": [], "denyWrite": []}}
CALLERS = (1, 16)
SETTLE, COUNTED = 1.5, 3.5  # seconds of a turn of so many callers
REFERENCE = "sallyport, gVisor, waiting"


class Bench:
    def __init__(self, args, work):
        self.args, self.work = args, work
        self.venv = args.cache / "venv/bin"
        self.modules = args.cache / "node/node_modules"
        self.env = {**os.environ, "XDG_STATE_HOME": str(work), "XDG_CONFIG_HOME": str(work), "HOME": str(work),
                    "PATH": f"{args.bin}:{os.environ['PATH']}", "SEMGREP_SEND_METRICS": "off"}
        self.engine = os.environ.get("DOCKER_HOST", "")
        self.config = work / "docker.yaml"
        self.config.write_text(
            f"sandbox:\n  backend: docker\n  engine:\n    host: {self.engine or 'unix:///missing'}\n    images:\n"
            + "".join(f"      {language}: {image}\n" for language, image in IMAGES.items())
        )
        # srt looks through the directory it is started in.
        self.srt = work / "srt"
        self.srt.mkdir()
        (self.srt / "settings.json").write_text(json.dumps(SRT_SETTINGS))
        self.docker_config = ["--config", str(self.config)]
        self.open = {}
        self.missing = {}

    def shared(self, key, make):
        """One long-lived process of each kind; its start is nobody's time."""
        if key not in self.open:
            self.open[key] = make()
        return self.open[key]

    def close(self):
        for process in self.open.values():
            process.close()

    # What is started.

    def bare(self, language, programs):
        source = self.work / FILE[language]
        source.write_text(programs[language] + "\n")
        return [sys.executable if language == "python" else shutil.which("node"), str(source)]

    def docker_run(self, language, programs):
        flag = "-c" if language == "python" else "-e"
        return ["docker", "run", "--rm", "--network", "none", IMAGES[language], flag, programs[language]]

    def server(self, *args, warm=1):
        return Server(str(self.args.bin / "sallyport"), *args, warm=warm, env=self.env)

    def llm_sandbox(self):
        if not self.engine:
            raise Missing("no container engine")
        self.installed("python")
        return Peer([str(self.venv / "python"), str(report.HERE / "llm_sandbox_peer.py")], self.env)

    def srt_command(self, argv):
        cli = self.modules / "@anthropic-ai/sandbox-runtime/dist/cli.js"
        if not cli.exists():
            raise Missing("not installed")
        return [str(self.modules / ".bin/node"), str(cli), "--settings", str(self.srt / "settings.json"), *argv]

    def srt_library(self):
        node, *_ = self.srt_command([])
        return Peer([node, str(report.HERE / "srt_peer.mjs"), str(self.modules), json.dumps(SRT_SETTINGS)], self.env, self.srt)

    # Ways of running a program: milliseconds until the whole answer is there.

    def ways(self, language, callers=1):
        bare = self.bare(language, CODE)
        source = bare[-1]
        sallyport = str(self.args.bin / "sallyport")
        code = CODE[language]

        def server(*args):
            return self.shared(("mcp", *args), lambda: self.server(*args))

        def llm(**how):
            return self.shared("llm-sandbox", self.llm_sandbox).run(**how, language=language, code=code)

        def engine(run):
            if not self.engine:
                raise Missing("no container engine")
            return run()

        return {
            "bare interpreter": lambda: ran(bare),
            "docker run": lambda: engine(lambda: ran(self.docker_run(language, CODE))),
            "llm-sandbox, new container": lambda: llm(way="cold"),
            "llm-sandbox, its pool": lambda: llm(way="pool", size=max(2, callers)),
            "srt": lambda: ran(self.srt_command(bare), env=self.env, cwd=self.srt),
            "srt, its library": lambda: self.shared("srt", self.srt_library).run(command=shlex.join(bare)),
            "sallyport, gVisor, cold": lambda: ran([sallyport, "run", source], env=self.env),
            "sallyport, Docker, cold": lambda: engine(lambda: ran([sallyport, *self.docker_config, "run", source], env=self.env)),
            REFERENCE: lambda: server().run(language, code),
            "sallyport, Docker, waiting": lambda: engine(lambda: server(*self.docker_config).run(language, code)),
        }

    def speed(self, language):
        ways = self.ways(language)
        times = {name: [] for name in ways}
        order = list(ways)
        shuffled = random.Random(7)
        for round_ in range(self.args.rounds + 2):
            shuffled.shuffle(order)
            for name in order:
                if name in self.missing:
                    continue
                time.sleep(0.3)  # as an agent's calls: the next sandbox has come up
                try:
                    took = ways[name]()
                except (Missing, OSError, subprocess.TimeoutExpired) as why:
                    self.lacks(name, why)
                    continue
                if round_ >= 2:  # the first ones fill caches and pools
                    times[name].append(took)
            progress(f"{language}: round {round_ + 1} of {self.args.rounds + 2}")
        return summary(times, REFERENCE, self.missing)

    def rates(self):
        """Runs a second of one caller and of many; each way has its turns, in an order that is shuffled anew."""
        cells = [(language, callers, name) for language in CODE for callers in CALLERS for name in report.RATED]
        turns = {cell: [] for cell in cells}
        shuffled = random.Random(7)
        for turn in range(self.args.turns):
            shuffled.shuffle(cells)
            for language, callers, name in cells:
                if name in self.missing:
                    continue
                run = self.ways(language, callers)[name]
                try:
                    run()  # what stays is started by then
                except (Missing, OSError, subprocess.TimeoutExpired) as why:
                    self.lacks(name, why)
                    continue
                time.sleep(2)  # what the last turn left behind is gone
                turns[language, callers, name].append(rate.load(run, callers, SETTLE, COUNTED))
            progress(f"runs a second: turn {turn + 1} of {self.args.turns}")
        out = {language: {str(callers): {} for callers in CALLERS} for language in CODE}
        for (language, callers, name), had in turns.items():
            got = rate.figures(had)
            if "missing" in got and name not in self.missing:
                self.lacks(f"runs a second of {name}, {language}, callers: {callers}", got["missing"])
            out[language][str(callers)][name] = got
        return out

    def lacks(self, what, why):
        self.missing[what] = rate.told(why)
        print(f"missing: {what}: {why}", file=sys.stderr)
        return {"missing": self.missing[what]}

    # Memory.

    def memory(self, language):
        """Of each sandbox that waits, or, where none does, of one run in progress, at its most."""
        bare = self.bare(language, ASLEEP)
        ways = {
            "bare interpreter": lambda: self.in_progress(bare),
            "docker run": lambda: self.in_progress(self.docker_run(language, ASLEEP), self.containers(IMAGES[language])),
            "llm-sandbox, its pool": lambda: self.pool_waits(language),
            "srt": lambda: self.in_progress(self.srt_command(bare), env=self.env, cwd=self.srt),
            "srt, its library": lambda: self.srt_in_progress(bare),
            REFERENCE: lambda: self.server_waits(language, 8),
            "sallyport, Docker, waiting": lambda: self.server_waits(language, 4, self.containers(IMAGES[language])),
        }
        out = {}
        for name, measured in ways.items():
            try:
                out[name] = measured()
            except (Missing, OSError, subprocess.SubprocessError) as why:
                out[name] = self.lacks(f"memory of {name}, {language}", why)
            progress(f"{language}: memory of {name}")
        return out

    def containers(self, image):
        """Says, when asked, the processes of each container of an image that was not there before, its shim among them."""
        if not self.engine:
            raise Missing("no container engine")

        def running():
            return set(command(["docker", "ps", "-q", "--filter", f"ancestor={image}"])[0].stdout.split())

        before = running()

        def groups():
            new = running() - before
            pids = command(["docker", "inspect", "-f", "{{.State.Pid}}", *new])[0].stdout.split() if new else []
            return [rate.below(rate.parent(int(pid))) for pid in pids if pid != "0"]

        return groups

    def in_progress(self, argv, containers=list, **kw):
        process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw)
        most = rate.peak(lambda: sum(containers(), rate.below(process.pid)), lambda: process.poll() is not None)
        if process.returncode != 0:
            raise Missing(f"{argv[0]}: exit {process.returncode}")
        return most

    def srt_in_progress(self, argv):
        peer = self.srt_library()
        try:
            peer.ask({"command": "true"})
            before = set(rate.below(peer.process.pid))
            with concurrent.futures.ThreadPoolExecutor(1) as caller:
                asked = caller.submit(peer.ask, {"command": shlex.join(argv)})
                most = rate.peak(lambda: set(rate.below(peer.process.pid)) - before, asked.done)
            asked.result()
            return most
        finally:
            peer.close()

    def pool_waits(self, language, many=4):
        containers, peer = self.containers(report.PEER_IMAGE), self.llm_sandbox()
        try:
            peer.run(way="pool", size=many, language=language, code=CODE[language])
            return rate.waiting(containers, many)
        finally:
            peer.close()

    def server_waits(self, language, many, containers=None):
        server = self.server(*(self.docker_config if containers else ()), warm=many)
        try:
            return rate.waiting(containers or (lambda: boxes(server, language)), many)
        finally:
            server.close()

    # Judging files.

    def judges(self, semgrep_rules):
        sallyport = str(self.args.bin / "sallyport")
        semgrep = [str(self.venv / "semgrep"), "scan", "--quiet", "--json", "--metrics", "off", "--disable-version-check",
                   "--disable-nosem", "--no-git-ignore", "--jobs", str(os.cpu_count()), *semgrep_rules]
        return {
            "sallyport check": [sallyport, "check", "--format", "json"],
            "bandit": [str(self.venv / "bandit"), "-q", "-r", "--ignore-nosec", "-f", "json"],
            "semgrep": semgrep if semgrep_rules else None,
        }

    def latency(self, semgrep_rules):
        hundred = self.work / "hundred"
        hundred.mkdir()
        allow = sorted((ROOT / "testdata/corpus/python/allow").glob("*.py"))[:100]
        for f in allow:
            shutil.copy(f, hundred)
        one = self.work / "one.py"
        shutil.copy(ROOT / "testdata/bench/hundred.py", one)
        out = {}
        for what, target in (("one file of 100 lines", one), ("a directory of 100 files", hundred)):
            times = {name: [] for name in self.judges(semgrep_rules)}
            for round_ in range(self.args.rounds // 2 + 1):
                for name, argv in self.judges(semgrep_rules).items():
                    if name == "semgrep" and round_ > 2:
                        continue  # it takes seconds, and two decide nothing more than ten
                    if argv is None or not pathlib.Path(argv[0]).exists():
                        self.missing["check: " + name] = "no rules to be had" if argv is None else "not installed"
                        continue
                    done, took = command([*argv, str(target)], env=self.env, timeout=300)
                    if done.returncode > 1 and name != "sallyport check" or done.returncode not in (0, 1, 3):
                        raise SystemExit(f"{name}: exit {done.returncode}: {done.stderr[-500:]}")
                    if round_ > 0:
                        times[name].append(took)
            progress(what)
            out[what] = summary(times, "sallyport check", {})
        return out

    # Detection and false alarms.

    def detection(self, rules):
        corpus = self.work / "corpus"
        shutil.copytree(ROOT / "testdata/corpus", corpus)
        out = {}
        for language, suffixes in (("python", (".py",)), ("javascript", (".js", ".mjs", ".cjs"))):
            labels = dict(line.split("\t") for line in (corpus / language / "labels.tsv").read_text().splitlines() if "\t" in line)
            files = {kind: sorted(f for f in (corpus / language / kind).iterdir() if f.suffix in suffixes) for kind in ("deny", "allow")}
            every = [str(f) for kind in files.values() for f in kind]
            forbidden = [str(f) for f in files["deny"] if labels.get(f.name, "").strip() not in ALLOWED | {""}]
            rows = {}
            for name, judge in self.detectors(language, rules, corpus / language, every).items():
                try:
                    found = judge()
                except (Missing, OSError, subprocess.TimeoutExpired) as why:
                    rows[name] = {"missing": str(why)[:200]}
                    continue
                progress(f"{language}: {name}")
                rows[name] = {
                    "forbidden": len(found & set(forbidden)),
                    "deny": len(found & {str(f) for f in files["deny"]}),
                    "alarms": len(found & {str(f) for f in files["allow"]}),
                }
            out[language] = {"forbidden": len(forbidden), "deny": len(files["deny"]), "allow": len(files["allow"]), "rows": rows}
        return out

    def detectors(self, language, rules, folder, files):
        def sallyport(pack):
            done, _ = command([str(self.args.bin / "sallyport"), "check", "--no-record", "--format", "json", "--pack", pack, str(folder)], env=self.env, timeout=300)
            return {a["name"] for a in json.loads(done.stdout)["answers"] if a["decision"]["effect"] != "allow"}

        def bandit(level):
            self.installed("bandit")
            done, _ = command([str(self.venv / "bandit"), "-q", "-r", "--ignore-nosec", "-f", "json", level, str(folder)], env=self.env, timeout=300)
            return {r["filename"] for r in json.loads(done.stdout)["results"]}

        def semgrep(configs):
            self.installed("semgrep")
            if not configs:
                raise Missing("no rules to be had")
            argv = self.judges(configs)["semgrep"]
            done, _ = command([*argv, str(folder)], env=self.env, timeout=900)
            if done.returncode > 1:
                raise Missing(done.stderr.strip()[-200:] or done.stdout[-200:])
            return {r["path"] for r in json.loads(done.stdout)["results"]}

        def patterns(preset):
            sdist = next(iter((self.args.cache / "rules").glob("llm_sandbox-*/")), None)
            if sdist is None:
                raise Missing("not installed")
            peer = self.shared("patterns", lambda: Peer([str(self.venv / "python"), str(report.HERE / "llm_sandbox_peer.py"), "patterns"], self.env))
            return set(peer.ask({"way": "patterns", "preset": preset, "sdist": str(sdist), "files": files})["flagged"])

        found = {"sallyport, baseline": lambda: sallyport("baseline"), "sallyport, strict": lambda: sallyport("strict")}
        if language == "python":
            found["bandit, any finding"] = lambda: bandit("-l")
            found["bandit, medium and above"] = lambda: bandit("-ll")
            found["llm-sandbox, preset production"] = lambda: patterns("production")
            found["llm-sandbox, preset strict"] = lambda: patterns("strict")
        found["semgrep, security rules of semgrep-rules"] = lambda: semgrep(rules["semgrep-rules"][language])
        name = "guarddog" if language == "python" else "njsscan"
        found[f"semgrep, rules of {name}"] = lambda: semgrep(rules[name])
        return found

    def installed(self, name):
        if not (self.venv / name).exists():
            raise Missing("not installed")


def boxes(server, language):
    """The processes of each gVisor sandbox of a server that is for a language, as its bundle says."""
    found = []
    for pid in rate.below(server.process.pid)[1:]:
        with contextlib.suppress(OSError, StopIteration):
            argv = pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            bundle = next(a.removeprefix("--bundle=") for a in argv if a.startswith("--bundle="))
            main = json.loads(pathlib.Path(bundle, "config.json").read_text())["process"]["args"][0]
            if rate.parent(pid) == server.process.pid and pathlib.Path(main).name.startswith(INTERPRETER[language]):
                found.append(rate.below(pid))
    return found


def progress(text):
    print(f"bench-peers: {time.strftime('%T')} {text}", file=sys.stderr)


def summary(times, reference, missing):
    """Medians, 90th percentiles, and the median ratio to the reference in the same round."""
    out = {}
    for name, took in times.items():
        if not took:
            out[name] = {"missing": missing.get(name, "not to be had")}
            continue
        ranked = sorted(took)
        pairs = [a / b for a, b in zip(took, times[reference])]
        out[name] = {
            "ms": statistics.median(took), "p90": ranked[int(0.9 * (len(ranked) - 1))], "runs": len(took),
            "ratio": statistics.median(pairs) if pairs else None,
        }
    return out


def security_rules(checkout, language, into):
    """The rules of category security, without their tests, as semgrep takes a directory."""
    count = 0
    for f in sorted(pathlib.Path(checkout, language).rglob("*.yaml")):
        if ".test." not in f.name and "category: security" in f.read_text():
            target = into / language / f.relative_to(checkout)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(f, target)
            count += 1
    return ["--config", str(into / language)] if count else []


def find_rules(args, work):
    """Which Semgrep rules there are, as arguments, and how they are called."""
    rules = {"semgrep-rules": {"python": [], "javascript": [], "python/lang": []}, "guarddog": [], "njsscan": []}
    checkout = os.environ.get("SEMGREP_RULES", "")
    if checkout and pathlib.Path(checkout, "python").is_dir():
        for part in rules["semgrep-rules"]:
            rules["semgrep-rules"][part] = security_rules(checkout, part, work / "semgrep" / part.replace("/", "-"))
    carried = args.cache / "rules"
    for f in sorted((carried / "guarddog/analyzer/sourcecode").glob("*.yml")):
        if not f.name.startswith(("go-", "npm-", "rubygems-")):
            rules["guarddog"] += ["--config", str(f)]
    for f in sorted((carried / "njsscan/rules/semantic_grep").glob("*")):
        if f.name != "good":  # which reports that a protection is there
            rules["njsscan"] += ["--config", str(f)]
    return rules


def versions(args):
    out = {"python": platform.python_version()}

    def first(name, argv):
        with contextlib.suppress(OSError, subprocess.SubprocessError, IndexError):
            out[name] = command(argv)[0].stdout.split("\n")[0].strip()

    first("node", ["node", "--version"])
    first("sallyport", [str(args.bin / "sallyport"), "version"])
    first("docker", ["docker", "version", "--format", "{{.Server.Version}}"])
    listed = command([str(args.cache / "venv/bin/python"), "-m", "pip", "list", "--format", "json"])[0].stdout
    have = {p["name"]: p["version"] for p in json.loads(listed or "[]")}
    out |= {name: have[name] for name in ("llm-sandbox", "bandit", "semgrep") if name in have}
    for name in ("guarddog", "njsscan"):
        for d in (args.cache / "rules").glob(f"{name}-*.dist-info"):
            out[name] = d.name.removesuffix(".dist-info").split("-")[1]
    with contextlib.suppress(OSError):
        package = args.cache / "node/node_modules/@anthropic-ai/sandbox-runtime/package.json"
        out["sandbox-runtime (srt)"] = json.loads(package.read_text())["version"]
    checkout = os.environ.get("SEMGREP_RULES", "")
    if checkout and pathlib.Path(checkout, "python").is_dir():
        out["semgrep-rules"] = command(["git", "-C", checkout, "log", "-1", "--format=%h of %cs"])[0].stdout.strip() or "a checkout"
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--cache", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=3, help="turns of each way whose runs a second are counted")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md, its chart and the README's table")
    args = parser.parse_args()
    # Short, for the sockets of sandboxes.
    work = pathlib.Path(tempfile.mkdtemp(prefix="spb", dir="/tmp"))
    bench = Bench(args, work)
    try:
        rules = find_rules(args, work)
        results = {
            "date": datetime.date.today().isoformat(),
            "machine": {"processors": os.cpu_count(), "system": f"{platform.system()} {platform.release()}", "load": round(os.getloadavg()[0], 1)},
            "versions": versions(args),
            # First, while nothing else is there to share files with.
            "memory": {language: bench.memory(language) for language in CODE},
            "speed": {language: bench.speed(language) for language in CODE},
            "rate": bench.rates(),
            "check": bench.latency(rules["semgrep-rules"]["python/lang"] or rules["guarddog"]),
            "detection": bench.detection(rules),
            "missing": bench.missing,
        }
    finally:
        bench.close()
        shutil.rmtree(work, ignore_errors=True)
    report.publish(results, write=args.write)


if __name__ == "__main__":
    main()
