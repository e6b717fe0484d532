"""Pixels become a valid PNG, and an outline is drawn around its area and not over it."""

import random

import pytest

from handrail.features.desktop.backends.picture import draw_outline, encode_png
from handrail.features.desktop.desktop_port import Rect
from tests.features.desktop.conformance import png as reader


def bgrx(rgb: bytes) -> bytearray:
    pixels = bytearray(len(rgb) // 3 * 4)
    for channel in range(3):
        pixels[2 - channel :: 4] = rgb[channel::3]
    return pixels


@pytest.mark.parametrize("size", [(1, 1), (1, 7), (33, 1), (64, 48)])
def test_every_pixel_comes_back(size: tuple[int, int]) -> None:
    width, height = size
    noise = random.Random(7).randbytes(width * height * 3)
    picture = encode_png(bgrx(noise), width, height)
    assert reader.size(picture) == size
    assert reader.pixels(picture) == noise


def test_rows_that_repeat_come_back_too() -> None:
    row, other = bytes(range(30)), bytes(30)
    rows = row + row + other + other + row + row
    assert reader.pixels(encode_png(bgrx(rows), 10, 6)) == rows


def test_an_outline_changes_only_pixels_at_its_border() -> None:
    width, height, around = 40, 30, Rect(10, 10, 12, 8)
    pixels = bytearray(width * height * 4)
    draw_outline(pixels, width, height, around)
    pixels_set = {(at // 4 % width, at // 4 // width) for at in range(0, len(pixels), 4) if any(pixels[at : at + 4])}
    inside = {(x, y) for x in range(10, 22) for y in range(10, 18)}
    assert not pixels_set & inside
    assert min(x for x, _ in pixels_set) == 6
    assert max(y for _, y in pixels_set) == 21


@pytest.mark.parametrize("around", [Rect(-5, -5, 100, 100), Rect(38, 28, 10, 10), Rect(500, 500, 3, 3)])
def test_an_outline_that_leaves_the_picture_is_cut_off(around: Rect) -> None:
    pixels = bytearray(40 * 30 * 4)
    draw_outline(pixels, 40, 30, around)
    assert len(pixels) == 40 * 30 * 4
