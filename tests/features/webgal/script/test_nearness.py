"""Similar names are the same as a slow and simple search finds."""

from itertools import product

from handrail.features.webgal.script.similar_names import Names, distance, nearest, normalize, plausible_correction
from tests.features.webgal.script.game import findings, game


def _plain_distance(one: str, other: str) -> int:
    rows = [[max(row, column) for column in range(len(other) + 1)] for row in range(len(one) + 1)]
    for row, column in product(range(1, len(one) + 1), range(1, len(other) + 1)):
        is_same = one[row - 1] == other[column - 1]
        costs = [rows[row - 1][column] + 1, rows[row][column - 1] + 1, rows[row - 1][column - 1] + (not is_same)]
        if row > 1 and column > 1 and one[row - 1] == other[column - 2] and one[row - 2] == other[column - 1]:
            costs.append(rows[row - 2][column - 2] + 1)
        rows[row][column] = min(costs)
    return rows[-1][-1]


def test_a_common_prefix_or_suffix_does_not_change_the_distance() -> None:
    words = ["".join(letters) for length in range(5) for letters in product("ab", repeat=length)]
    for one, other in product(words, words):
        assert distance(one, other, 2) == min(_plain_distance(one, other), 3)


def test_the_nearest_names_are_found_best_first_in_any_case_and_width() -> None:
    names = ["changeBg", "changeFigure", "bgm", "海边的夜", "café"]
    assert nearest("chnageBg", names) == ["changeBg"]
    assert nearest("ＣＨＡＮＧＥＢＧ", names) == ["changeBg"]
    assert nearest("海边的夜晚", names) == ["海边的夜"]
    assert nearest("bgn", names) == []
    assert normalize(" A　b ") == "ab"


def test_a_game_full_of_unknown_names_gets_only_so_many_guesses() -> None:
    names = Names([f"name{number}" for number in range(300)])
    nearest_cached = [names.nearest_cached(f"nome{number}") for number in range(300)]
    assert nearest_cached[0] == ["name0"]
    assert names.nearest_cached("nome0") == ["name0"]
    assert sum(map(bool, nearest_cached)) == 200
    script = "\n".join(f"setVar:v{number}=1;\n雪乃:{{w{number}}};" for number in range(400))
    assert [each.code for each in game(script).findings("start.txt")] == ["WG403"] * 400


def test_names_that_differ_only_in_numbers_are_near_but_not_suggested_as_corrections() -> None:
    assert plausible_correction("v3.wav", ["v1.wav", "v2.wav"]) is None
    assert plausible_correction("s8.mp3", ["s08.mp3"]) == "s08.mp3"
    assert plausible_correction("beach2.jpg", ["beach.jpg"]) == "beach.jpg"
    (finding,) = findings("changeBg:scene12.png;", files=("background/scene11.png",))
    assert finding.values["near"] == "scene11.png"
    assert finding.edit is None


def test_files_with_the_same_name_are_ordered_by_the_nearest_folder() -> None:
    files = ("figure/claude/09_normal.webp", "figure/gemini/09_normal.webp")
    for expected in ("gemini/09_normal.png", "gemini/09normal.webp", "gemxni/09_normal.webp"):
        (finding,) = findings(f"changeFigure:{expected};", files=files)
        assert finding.edit is not None
        assert finding.edit.text == "gemini/09_normal.webp"
