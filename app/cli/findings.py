"""What `belay doctor` found, a line each."""

from dataclasses import dataclass
from enum import StrEnum

from app.cli.codes import ExitCode
from app.cli.sanitise import harmless


class Health(StrEnum):
    """How a part is; the value is what stands before its line."""

    WORKS = "ok"
    ABSENT = "--"  # not there, and not needed to answer and remember
    BROKEN = "!!"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One part, how it is, and what to do about it."""

    part: str
    health: Health
    words: str


def line(finding: Finding) -> str:
    """Write a finding down."""
    return harmless(f"[{finding.health.value}] {finding.part}: {finding.words}")


def verdict(findings: list[Finding]) -> tuple[str, ExitCode]:
    """Say whether Belay can answer and remember."""
    broken = [finding.part.lower() for finding in findings if finding.health is Health.BROKEN]
    if not broken:
        return "Belay can answer and remember.", ExitCode.OK
    return f"To be mended: {', '.join(broken)}.", ExitCode.FAILED
