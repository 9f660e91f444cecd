#!/usr/bin/env python3
"""What git seed buys: the same tasks by the same model, with git seed and without.

    python3 bench/ab/run.py --model claude              # your key, your money: 200 sessions
    python3 bench/ab/run.py --model scripted --runs 2   # plays the measuring itself, free
    python3 bench/ab/run.py --check                     # do the tasks hold what they promise?

Needs git, Python 3.8 and, for a real model, Claude Code on the PATH. See bench/ab/README.md.
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tasks import TASKS

HERE = Path(__file__).resolve().parent
ARMS = ("without", "with")
DONE = re.compile(r"\b(done|fixed|complete[d]?|finished|implemented|all tests pass|works now)\b", re.I)
# What git seed itself writes into a work tree: memory, and what a cycle leaves.
BESIDE = re.compile(r"(^|/)(\.claude/|CLAUDE\.md$|__pycache__/|\.pyc$)")


def git(place, *words):
    return subprocess.run(["git", *words], cwd=place, check=True, capture_output=True, text=True).stdout


def unittest(place, module):
    """Whether the tests of a module pass."""
    line = [sys.executable, "-B", "-m", "unittest", "-q", module]
    try:
        return subprocess.run(line, cwd=place, capture_output=True, timeout=60).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def write(place, files):
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)


def begin(place, task):
    write(place, task["files"])
    git(place, "init", "-q", "-b", "main")
    git(place, "config", "user.name", "A Person")
    git(place, "config", "user.email", "person@example.invalid")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "start")
    return git(place, "rev-parse", "HEAD").strip()


def changed(place, base):
    """Files that differ from the beginning, committed or not."""
    seen = git(place, "diff", "--name-only", base).split("\n")
    new = git(place, "ls-files", "--others", "--exclude-standard").split("\n")
    return {name for name in seen + new if name}


# ---- models: each gives its last words, and what the session took


def claude(place, task, arm, options, _seed):
    line = ["claude", "-p", task["want"], "--output-format", "json", "--max-turns", "60",
            "--permission-mode", "bypassPermissions"]
    if options.claude_model:
        line += ["--model", options.claude_model]
    ran = subprocess.run(line, cwd=place, capture_output=True, text=True, timeout=options.minutes * 60)
    try:
        told = json.loads(ran.stdout)
    except ValueError:
        raise SystemExit(f"claude printed no JSON: {ran.stdout[-400:]}{ran.stderr[-400:]}")
    usage = told.get("usage", {})
    tokens = sum(usage.get(key, 0) for key in ("input_tokens", "output_tokens", "cache_creation_input_tokens",
                                               "cache_read_input_tokens"))
    return {"said": told.get("result") or "", "tokens": tokens}


def scripted(place, task, arm, options, seed):
    line = [sys.executable, "-B", str(HERE / "scripted.py"), task["name"], arm, str(seed), options.git_seed]
    ran = subprocess.run(line, cwd=place, capture_output=True, text=True, timeout=options.minutes * 60)
    if ran.returncode:
        raise SystemExit(f"the scripted model broke: {ran.stderr[-2000:]}")
    return json.loads(ran.stdout)


MODELS = {"claude": claude, "scripted": scripted}


def session(task, arm, number, options):
    with tempfile.TemporaryDirectory(prefix="seed-ab-") as dir:
        place = Path(dir) / "project"
        place.mkdir()
        base = begin(place, task)
        if arm == "with":
            ran = subprocess.run([options.git_seed, "init", "--host", "claude"], cwd=place, capture_output=True, text=True)
            if ran.returncode:
                raise SystemExit(f"git seed init: {ran.stderr}")
        began = time.monotonic()
        try:
            told = MODELS[options.model](place, task, arm, options, number)
        except subprocess.TimeoutExpired:
            told = {"said": "", "tokens": None}
        took = time.monotonic() - began
        paths = changed(place, base)
        outside = sorted(name for name in paths if name not in task["mine"] and not BESIDE.search(name))
        write(place, {"test_hidden.py": task["hidden"]})
        passed = unittest(place, "test_hidden")
    done = bool(DONE.search(told["said"]))
    return {"task": task["name"], "arm": arm, "run": number, "passed": passed, "outside": outside, "done": done,
            "false_done": done and not passed, "tokens": told["tokens"], "seconds": round(took, 1)}


# ---- figures


def wilson(hits, of, z=1.959964):
    """The 95 % interval of a share."""
    if not of:
        return (0.0, 1.0)
    share, wide = hits / of, z * z / of
    middle = (share + wide / 2) / (1 + wide)
    half = z * math.sqrt(share * (1 - share) / of + wide / (4 * of)) / (1 + wide)
    return (max(0.0, middle - half), min(1.0, middle + half))


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def bootstrap(by_task, figure, rounds=2000):
    """The 95 % interval of a figure of the runs, drawn by whole tasks: runs of one task are alike."""
    draw, names = random.Random(20261126), sorted(by_task)
    found = []
    for _ in range(rounds):
        some = [run for _ in names for run in by_task[draw.choice(names)]]
        found.append(figure(some))
    found = sorted(value for value in found if not math.isnan(value))
    if not found:
        return (float("nan"), float("nan"))
    return (found[int(len(found) * 0.025)], found[min(len(found) - 1, int(len(found) * 0.975))])


def values(runs, key, arm):
    return [value(run[key]) for run in runs if run["arm"] == arm and run[key] is not None]


def value(what):
    return float(len(what)) if isinstance(what, list) else float(what)


ROWS = [("passed", "hidden tests pass", True), ("outside", "files outside the task", False),
        ("false_done", "says done and is not", True), ("tokens", "tokens", False), ("seconds", "seconds", False)]


def table(runs):
    by_task = {}
    for run in runs:
        by_task.setdefault(run["task"], []).append(run)
    lines = ["| figure | without | with | with − without |", "|---|---|---|---|"]
    for key, title, is_share in ROWS:
        cells = []
        for arm in ARMS:
            found = values(runs, key, arm)
            if not found:
                cells.append("not told")
            elif is_share:
                low, high = wilson(sum(found), len(found))
                cells.append(f"{mean(found):.0%} [{low:.0%}, {high:.0%}]")
            else:
                low, high = bootstrap(by_task, lambda some, arm=arm: mean(values(some, key, arm)))
                cells.append(f"{mean(found):,.1f} [{low:,.1f}, {high:,.1f}]")
        gap = lambda some: mean(values(some, key, "with")) - mean(values(some, key, "without"))
        if "not told" in cells:
            cells.append("not told")
        else:
            low, high = bootstrap(by_task, gap)
            shown = "+.0%" if is_share else "+,.1f"
            cells.append(f"{gap(runs):{shown}} [{low:{shown}}, {high:{shown}}]")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def check():
    """Each task fails as it is, passes when it is solved, and fails when it only looks so."""
    bad = []
    for task in TASKS:
        for over, wanted in (({}, False), (task["right"], True), (task["wrong"], False)):
            with tempfile.TemporaryDirectory(prefix="seed-ab-") as dir:
                place = Path(dir)
                write(place, {**task["files"], **over, "test_hidden.py": task["hidden"]})
                seen = unittest(place, f"test_{task['name']}")
                if unittest(place, "test_hidden") != wanted or not seen:
                    bad.append(task["name"])
    print(f"{len(TASKS)} tasks, {len(bad)} that do not hold{': ' if bad else ''}{', '.join(bad)}")
    return 1 if bad else 0


def main():
    say = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    say.add_argument("--model", choices=sorted(MODELS), default="scripted")
    say.add_argument("--claude-model", help="passed on as claude --model")
    say.add_argument("--runs", type=int, default=5, help="of each task in each arm")
    say.add_argument("--tasks", type=int, default=len(TASKS), help="only the first so many")
    say.add_argument("--minutes", type=int, default=15, help="that one session may take")
    say.add_argument("--git-seed", default="git-seed", help="the binary")
    say.add_argument("--out", default="ab-runs.jsonl", help="one line for each run")
    say.add_argument("--check", action="store_true", help="look at the tasks, and at nothing else")
    options = say.parse_args()
    if options.check:
        return check()
    runs = []
    with open(options.out, "w") as out:
        for task in TASKS[:options.tasks]:
            for number in range(options.runs):
                # In turn, so that the hour of the day weighs on both alike.
                for arm in (ARMS if number % 2 == 0 else ARMS[::-1]):
                    runs.append(session(task, arm, number, options))
                    out.write(json.dumps(runs[-1]) + "\n")
                    out.flush()
    print(f"{len(runs)} runs of {len({run['task'] for run in runs})} tasks by {options.model}, 95 % intervals")
    print(table(runs))
    if options.model == "scripted":
        print("\nThe scripted model shows that this measures. It says nothing about what git seed buys.")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
