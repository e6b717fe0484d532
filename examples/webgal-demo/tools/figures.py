"""The people of the game (and the cat), painted from polygons. Run it to regenerate them."""

from pathlib import Path

from canvas import Canvas, Colour, Point, box, ellipse, from_top

WIDTH, HEIGHT = 560, 900
SKIN: Colour = (250, 222, 200)
BLUSH: Colour = (242, 168, 158)
INK: Colour = (52, 40, 56)
NAVY: Colour = (52, 74, 124)
GOLD: Colour = (236, 190, 96)
LEATHER: Colour = (150, 96, 62)
HAIR: Colour = (78, 52, 56)
CREAM: Colour = (250, 244, 230)


def curve(points: list[Point], thickness: float) -> list[Point]:
    """A stroke along some points, as a polygon."""
    return [*points, *((x, y + thickness) for x, y in reversed(points))]


def face(picture: Canvas, x: float, y: float, *, is_smiling: bool) -> None:
    for side in (-1, 1):
        eye = x + side * 42
        if is_smiling:
            picture.fill(curve(ellipse(eye, y + 8, 18, 15, 190, 350), 5), INK)
        else:
            picture.fill(ellipse(eye, y, 13, 19), INK)
            picture.fill(ellipse(eye + 4, y - 7, 5, 6), CREAM)
        picture.fill(ellipse(eye + side * 14, y + 30, 19, 10), BLUSH, 0.6)
        picture.fill(curve(ellipse(eye, y - 30, 20, 10, 210, 330), 4), HAIR)
    if is_smiling:
        picture.fill(ellipse(x, y + 36, 18, 17, 0, 180), (196, 84, 88))
    else:
        picture.fill(curve(ellipse(x, y + 34, 13, 9, 20, 160), 4), (170, 92, 92))


def xiaoman(*, is_smiling: bool) -> Canvas:
    """The postwoman of the night shift: navy coat, cap, a bag full of letters."""
    picture = Canvas(WIDTH, HEIGHT)
    x = 280.0
    picture.fill(ellipse(x, 300, 132, 150), HAIR)
    picture.fill(box(x - 132, 290, 264, 170, 60), HAIR)
    picture.fill([(x - 96, 900), (x - 150, 560), (x - 110, 470), (x + 110, 470), (x + 150, 560), (x + 96, 900)], NAVY)
    picture.fill([(x - 190, 790), (x - 150, 520), (x - 104, 480), (x - 116, 800)], NAVY)
    picture.fill([(x + 190, 790), (x + 150, 520), (x + 104, 480), (x + 116, 800)], (46, 66, 112))
    for side in (-1, 1):
        picture.fill(ellipse(x + side * 154, 806, 36, 34), SKIN)
        picture.fill(box(x + side * 154 - 42, 762, 84, 24, 6), GOLD)
    picture.fill(box(x - 26, 420, 52, 70, 18), (240, 204, 182))
    picture.fill([(x - 70, 474), (x, 560), (x + 70, 474), (x + 40, 462), (x - 40, 462)], CREAM)
    picture.fill([(x - 26, 512), (x + 26, 512), (x + 12, 600), (x, 616), (x - 12, 600)], (204, 72, 66))
    for row in range(3):
        picture.fill(ellipse(x, 660 + row * 74, 10, 10), GOLD)
    picture.fill([(x - 104, 486), (x - 84, 478), (x + 138, 742), (x + 116, 752)], LEATHER)
    picture.fill(box(x + 60, 730, 160, 124, 16), LEATHER)
    picture.fill([(x + 92, 734), (x + 108, 690), (x + 186, 700), (x + 180, 736)], CREAM)
    picture.fill([(x + 60, 744), (x + 220, 744), (x + 214, 796), (x + 66, 796)], (126, 78, 52))
    picture.fill(ellipse(x + 140, 798, 9, 9), GOLD)
    picture.fill(ellipse(x, 316, 108, 122), SKIN)
    picture.fill(ellipse(x, 250, 116, 62, 180, 360), HAIR)
    picture.fill([(x - 116, 248), (x - 40, 238), (x - 76, 300), (x - 104, 330)], HAIR)
    picture.fill([(x + 116, 248), (x + 10, 238), (x + 70, 290), (x + 104, 330)], HAIR)
    face(picture, x, 332, is_smiling=is_smiling)
    picture.fill(ellipse(x, 226, 134, 92, 180, 360), NAVY)
    picture.fill(box(x - 134, 208, 268, 34, 10), (40, 58, 102))
    picture.fill([(x - 120, 240), (x + 120, 240), (x + 96, 262), (x - 96, 262)], INK)
    picture.fill(ellipse(x, 196, 26, 20), GOLD)
    picture.fill([(x - 14, 190), (x + 14, 190), (x, 202)], (190, 140, 60))
    return picture


def keeper() -> Canvas:
    """The keeper of the lighthouse: a beard, a raincoat, a lantern."""
    picture = Canvas(WIDTH, HEIGHT)
    x = 280.0
    coat = from_top((206, 160, 74), (170, 118, 58), 460, 900)
    picture.fill([(x - 150, 900), (x - 170, 560), (x - 120, 470), (x + 120, 470), (x + 170, 560), (x + 150, 900)], coat)
    picture.fill([(x - 214, 800), (x - 168, 530), (x - 112, 490), (x - 134, 812)], (178, 128, 62))
    picture.fill([(x + 214, 720), (x + 168, 530), (x + 112, 490), (x + 150, 740)], (178, 128, 62))
    picture.fill(box(x - 4, 480, 8, 420), (120, 80, 46))
    for row in range(4):
        picture.fill(ellipse(x + 26, 600 + row * 76, 9, 9), INK)
    picture.fill(ellipse(x - 176, 816, 34, 32), SKIN)
    picture.fill(ellipse(x + 184, 742, 34, 32), SKIN)
    picture.glow(x + 190, 824, 90, (255, 214, 130), 0.8)
    picture.fill(box(x + 156, 776, 68, 92, 8), (70, 60, 66))
    picture.fill(box(x + 166, 790, 48, 62, 6), (255, 232, 168))
    picture.fill(curve(ellipse(x + 190, 778, 30, 26, 180, 360), 5), (70, 60, 66))
    picture.fill(ellipse(x, 318, 112, 122), SKIN)
    picture.fill(ellipse(x, 396, 124, 132), (226, 222, 220))
    picture.fill(ellipse(x, 340, 92, 72), SKIN)
    for side in (-1, 1):
        picture.fill(ellipse(x + side * 40, 318, 10, 12), INK)
        picture.fill(curve(ellipse(x + side * 40, 296, 26, 12, 200, 340), 8), (226, 222, 220))
        picture.fill(ellipse(x + side * 34, 390, 40, 17), (240, 238, 236))
        picture.fill(ellipse(x + side * 62, 352, 18, 11), BLUSH, 0.7)
    picture.fill(ellipse(x, 356, 20, 24), (238, 190, 168))
    picture.fill(ellipse(x, 250, 120, 104, 180, 360), (62, 96, 104))
    picture.fill(box(x - 126, 234, 252, 46, 20), (48, 78, 88))
    return picture


def cat() -> Canvas:
    """Ju, who weighs the parcels by sitting on them."""
    picture = Canvas(WIDTH, HEIGHT)
    x = 280.0
    orange, dark, white = (238, 158, 84), (206, 118, 56), CREAM
    tail = ellipse(x + 120, 760, 110, 110, 270, 440)
    picture.fill([*tail, *reversed(ellipse(x + 120, 760, 70, 70, 270, 440))], dark)
    picture.fill(ellipse(x, 780, 140, 150), orange)
    picture.fill(ellipse(x, 812, 82, 108), white)
    for side in (-1, 1):
        ear = [(side * 112, -66), (side * 92, -176), (side * 22, -104)]
        picture.fill([(x + a, 590 + b) for a, b in ear], orange)
        picture.fill([(x + a * 0.92, 598 + b * 0.86) for a, b in ear], BLUSH)
        picture.fill(ellipse(x + side * 62, 884, 48, 24), white)
        for stripe in range(3):
            left = x + side * (136 - stripe * 4)
            stripes = [(left, 720 + stripe * 44), (left - side * 52, 730 + stripe * 44), (left, 740 + stripe * 44)]
            picture.fill(stripes, dark)
    picture.fill(ellipse(x, 590, 132, 108), orange)
    picture.fill(ellipse(x, 632, 76, 56), white)
    for offset in (-34, 0, 34):
        picture.fill([(x + offset - 9, 492), (x + offset + 9, 492), (x + offset, 540)], dark)
    for side in (-1, 1):
        picture.fill(ellipse(x + side * 56, 584, 22, 24), (252, 226, 120))
        picture.fill(ellipse(x + side * 56, 584, 8, 22), INK)
        picture.fill(ellipse(x + side * 56 + 5, 574, 4, 5), white)
        picture.fill(curve(ellipse(x + side * 14, 634, 14, 10, 10, 170), 4), INK)
        for whisker in (-10, 8):
            left = x + side * 60
            picture.fill([(left, 628), (left + side * 96, 622 + whisker), (left, 632)], INK, 0.6)
    picture.fill([(x - 13, 614), (x + 13, 614), (x, 630)], (226, 120, 116))
    picture.fill(box(x - 84, 684, 168, 22, 10), (204, 72, 66))
    picture.fill(ellipse(x, 708, 18, 18), GOLD)
    return picture


FIGURES = {
    "xiaoman.png": lambda: xiaoman(is_smiling=False),
    "xiaoman_smile.png": lambda: xiaoman(is_smiling=True),
    "keeper.png": keeper,
    "ju.png": cat,
}

if __name__ == "__main__":
    folder = Path(__file__).parent.parent / "game" / "figure"
    folder.mkdir(parents=True, exist_ok=True)
    for name, paint in FIGURES.items():
        paint().save(folder / name, is_clear=True)
