"""Numbering the lines of a diff by its hunk headers."""

from handrail.features.people.cli.screen.change_form import DiffLines, diff_lines


def read(diff: str) -> DiffLines:
    return diff_lines(diff, lambda count: f"{count} skipped")


def shown(diff: str) -> list[str]:
    return [line.gutter + line.text for line in read(diff).lines]


def test_each_line_has_its_number_in_the_file_that_contains_it() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -9,3 +9,4 @@\n same\n-old\n+new\n+more\n last\n"
    assert shown(diff)[2:] == [
        "   ⋯ 8 skipped",
        " 9   same",
        "10 - old",
        "10 + new",
        "11 + more",
        "12   last",
    ]
    assert (read(diff).added, read(diff).removed) == (2, 1)


def test_a_removed_line_that_looks_like_a_header_is_a_removed_line() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/secret\n+++ b/other\n same\n"
    assert shown(diff)[2:] == ["1 - -- a/secret", "1 + ++ b/other", "2   same"]
    assert [line.style for line in read(diff).lines[2:4]] == ["removed", "added"]


def test_lines_outside_of_hunks_are_shown_unchanged_and_not_as_changes() -> None:
    diff = "@@ -1 +1 @@\n-a\n+b\n+not announced\n\\ No newline at end of file"
    assert shown(diff)[2:] == ["  │ +not announced", "  │ \\ No newline at end of file"]
    assert read(diff).added == 1


def test_hunks_that_only_add_or_only_remove_are_numbered_right() -> None:
    assert shown("@@ -0,0 +1,2 @@\n+a\n+b") == ["1 + a", "2 + b"]
    assert shown("@@ -3,2 +2,0 @@\n-c\n-d") == ["  ⋯ 2 skipped", "3 - c", "4 - d"]
    assert shown("@@ -1 +1 @@\n-a\n+b\n@@ -5 +5 @@\n-e\n+f")[2] == "  ⋯ 3 skipped"


def test_text_that_is_not_a_diff_is_shown_completely() -> None:
    assert shown("one\ntwo") == ["  │ one", "  │ two"]
    assert shown("") == []
