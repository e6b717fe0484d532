"""Findings as a client shows them."""

from collections.abc import Sequence

from lsprotocol.types import Diagnostic, DiagnosticSeverity, Position, Range

from handrail.features.webgal.lsp.columns import Columns
from handrail.features.webgal.lsp.phrases import phrase
from handrail.features.webgal.script.findings import Finding, Kind, Language, kind_of, message

SOURCE = "handrail"
MOST_SHOWN = 1000
"""Of one file; editors show no more, and a script for another engine may have one on each of its lines."""

_SEVERITIES: dict[Kind, DiagnosticSeverity] = {
    "syntax": DiagnosticSeverity.Error,
    "resource": DiagnosticSeverity.Error,
    "style": DiagnosticSeverity.Warning,
}


def span(lines: Sequence[str], line: int, start: int, end: int, columns: Columns) -> Range:
    """From characters of a line that counts from 0; where there is no such line, the end of the text."""
    if line >= len(lines):
        line, start, end = len(lines) - 1, len(lines[-1]), len(lines[-1])
    text = lines[line]
    return Range(Position(line, columns.units(text, start)), Position(line, columns.units(text, end)))


def diagnostic(finding: Finding, lines: Sequence[str], columns: Columns, language: Language) -> Diagnostic:
    return Diagnostic(
        range=span(lines, finding.line - 1, finding.start, finding.end, columns),
        message=message(finding, language),
        severity=_SEVERITIES[kind_of(finding)],
        code=finding.code,
        source=SOURCE,
    )


def diagnostics(
    findings: Sequence[Finding], lines: Sequence[str], columns: Columns, language: Language
) -> list[Diagnostic]:
    shown = [diagnostic(finding, lines, columns, language) for finding in findings[:MOST_SHOWN]]
    if len(findings) > MOST_SHOWN:
        more = phrase("more", language, count=len(findings) - MOST_SHOWN)
        last = span(lines, len(lines), 0, 0, columns)
        shown.append(Diagnostic(range=last, message=more, severity=DiagnosticSeverity.Information, source=SOURCE))
    return shown
