"""What somebody wrote, in a report: read as Markdown, and never as anything that loads, leads away or acts."""

import pytest

from handrail.features.history.report.parts import as_markdown


def test_words_are_read_as_markdown_with_tables_and_boxes() -> None:
    page = as_markdown("Two *lines*:\n\n| line |\n|---|\n| `4` |\n\n- [ ] mend it\n- [x] find it\n")
    assert "<em>lines</em>" in page
    assert "<td><code>4</code></td>" in page
    assert "<li>☐ mend it</li>\n<li>☑ find it</li>" in page


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>document.title = 'taken'</script>",
        "text <img src=x onerror=alert(1)>",
        "<div onclick=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](https://example.com)",
        "![a](https://example.com/seen.png)",
        "<https://example.com>",
        "[a]\n\n[a]: https://example.com",
    ],
)
def test_nothing_in_words_is_a_link_a_picture_or_a_tag(hostile: str) -> None:
    page = as_markdown(hostile)
    assert not any(tag in page for tag in ("<a ", "<img", "<script", "<div", "href"))


def test_hidden_characters_are_spelled_out() -> None:
    assert "\\u{202e}" in as_markdown("left \u202e right")


def test_blank_lines_are_read_through_once() -> None:
    assert as_markdown("\n" * 15_000 + "- [x] found").endswith("<li>☑ found</li>\n</ul>\n")


def test_words_longer_than_anybody_writes_are_shown_as_they_are() -> None:
    assert as_markdown("- [ " * 50_000 + "<b>") == f"<pre>{'- [ ' * 50_000}&lt;b&gt;</pre>"
