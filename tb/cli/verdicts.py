"""What a result says, in lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb.cli.console import print_line, print_table, verdict_style, verdict_word
from tb.runner.results import headline, place, primary_findings

MOST_FINDINGS = 5
MOST_HISTORY = 8


def print_result(result: dict[str, Any]) -> None:
    """Verdict of one run, its first findings, and the command that repeats it."""
    verdict = result["verdict"]
    traffic = result.get("packets", {})
    facts = [f"seed {result['seed']}", result["sim"], f"{traffic.get('in', 0)} frames in"]
    facts += [f"{traffic.get('out', 0)} out", f"{result.get('sim_time_ps', 0) / 1e6:.1f} us simulated"]
    facts += [f"{result.get('wall_s', 0):.1f} s"]
    print_line(f"{verdict_word(verdict)}  {result['test']}  ({', '.join(facts)})", verdict_style(verdict))
    if verdict != "pass":
        if result.get("reason"):
            print_line(f"  {result['reason']}")
        for line in result.get("log_tail", []):
            print_line(f"  | {line}")
        found = primary_findings(result)
        for finding in found[:MOST_FINDINGS]:
            print_finding(finding)
        more = result.get("findings_total", len(found)) - min(len(found), MOST_FINDINGS)
        if found and more > 0:
            print_line(f"  and {more} more in result.json")
    else:
        print_line(f"  {len(result.get('evidence', {}))} rules decided")
    print_line(f"  files:  {result.get('out_dir', '?')}")
    print_line(f"  repeat: {result.get('repeat', '?')}")


def print_finding(finding: dict[str, Any]) -> None:
    """One finding: rule, time, expected and why, observed, packet difference, what came before."""
    print_line(f"  {finding['rule']}  at {finding['time_ps'] / 1000:.3f} ns  {finding['scope']}", "bold")
    print_line(f"    {finding['text']}")
    for name in ("expected", "observed", "why"):
        if finding.get(name):
            print_line(f"    {name + ':':<10}{finding[name]}")
    for name, expected, observed in finding.get("packet_diff", []):
        print_line(f"    {name:<24} expected {expected}, observed {observed}")
    history = finding.get("history", [])
    for line in history[-MOST_HISTORY:]:
        print_line(f"    before: {line}")


def print_failures(title: str, results: Sequence[dict[str, Any]]) -> None:
    """Failure table, then the command that repeats each failed run."""
    failed = [one for one in results if one["verdict"] != "pass"]
    if not failed:
        return
    rows = [
        (one["test"], one["seed"], place(one), verdict_word(one["verdict"]), headline(one)) for one in failed
    ]
    print_table(title, ("test", "seed", "DUT", "verdict", "first finding"), rows)
    print_line("repeat:")
    for one in failed:
        print_line(f"  {one.get('repeat', '?')}")
