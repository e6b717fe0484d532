"""The five places of the game, painted from polygons. Run it to regenerate them."""

import random
from math import sin
from pathlib import Path

from canvas import Canvas, Colour, Point, box, ellipse, from_top

WIDTH, HEIGHT = 1280, 720
NIGHT: Colour = (18, 24, 58)
DUSK: Colour = (62, 66, 122)
SEA: Colour = (22, 38, 84)
LAMP: Colour = (255, 214, 130)
MOON: Colour = (252, 240, 208)
WHITE: Colour = (250, 246, 236)
RED: Colour = (204, 72, 66)


def sky(picture: Canvas, top: Colour, bottom: Colour, horizon: int) -> None:
    picture.fill(box(0, 0, WIDTH, HEIGHT), from_top(top, bottom, 0, horizon))


def stars(picture: Canvas, seed: int, horizon: int) -> None:
    chance = random.Random(seed)
    for _ in range(90):
        x, y = chance.uniform(0, WIDTH), chance.uniform(0, horizon * 0.85)
        size = chance.choice((1.0, 1.0, 1.4, 2.0))
        picture.fill(ellipse(x, y, size, size), WHITE, chance.uniform(0.4, 0.95))


def moon(picture: Canvas, x: float, y: float, size: float) -> None:
    picture.glow(x, y, size * 3.2, MOON, 0.5)
    picture.fill(ellipse(x, y, size, size), MOON)
    for dx, dy, part in ((-0.35, -0.2, 0.2), (0.25, 0.3, 0.26), (0.3, -0.38, 0.12)):
        picture.fill(ellipse(x + dx * size, y + dy * size, part * size, part * size), (236, 220, 184))


def sea(picture: Canvas, horizon: int, near: Colour, far: Colour, light: Colour, light_x: float) -> None:
    picture.fill(box(0, horizon, WIDTH, HEIGHT - horizon), from_top(far, near, horizon, HEIGHT))
    chance = random.Random(horizon)
    for step in range(40):
        y = horizon + 6 + (HEIGHT - horizon) * (step / 40) ** 1.5
        length = chance.uniform(16, 70) * (0.4 + step / 22)
        x = light_x + chance.uniform(-1, 1) * (24 + step * 3.4)
        picture.fill(ellipse(x, y, length, 1.2 + step * 0.06), light, 0.5 - step * 0.008)


def hills(picture: Canvas, base: float, height: float, phase: float, colour: Colour) -> None:
    ridge: list[Point] = [
        (x, base - height * (0.55 + 0.3 * sin(x / 170 + phase) + 0.15 * sin(x / 61 + phase * 2)))
        for x in range(0, WIDTH + 20, 20)
    ]
    picture.fill([*ridge, (WIDTH, base), (0, base)], colour)


def lighthouse(picture: Canvas, x: float, foot: float, height: float) -> None:
    wide, slim = height * 0.17, height * 0.11
    stripes = 6
    for stripe in range(stripes):
        low, high = stripe / stripes, (stripe + 1) / stripes
        left = [wide + (slim - wide) * part for part in (low, high)]
        top, bottom = foot - height * high, foot - height * low
        points = [(x - left[0], bottom), (x - left[1], top), (x + left[1], top), (x + left[0], bottom)]
        picture.fill(points, RED if stripe % 2 else WHITE)
        shade = [(x + left[0] * 0.3, bottom), (x + left[1] * 0.3, top), points[2], points[3]]
        picture.fill(shade, NIGHT, 0.22)
    top = foot - height
    picture.fill(box(x - slim * 1.4, top - 6, slim * 2.8, 12, 3), (48, 44, 66))
    picture.fill(box(x - slim * 0.8, top - height * 0.15, slim * 1.6, height * 0.15), LAMP)
    for part in (-0.8, -0.3, 0.2, 0.7):
        picture.fill(box(x + part * slim, top - height * 0.15, slim * 0.1, height * 0.15), (48, 44, 66))
    picture.fill(
        [(x - slim * 1.1, top - height * 0.15), (x, top - height * 0.27), (x + slim * 1.1, top - height * 0.15)], RED
    )
    picture.fill(box(x - wide * 0.28, foot - height * 0.13, wide * 0.56, height * 0.13, wide * 0.26), (74, 50, 52))


def beam(picture: Canvas, x: float, y: float, far_x: float, far_y: float, spread: float) -> None:
    for part in (1.0, 0.66, 0.33):
        picture.fill([(x, y), (far_x, far_y - spread * part), (far_x, far_y + spread * part)], LAMP, 0.12)
    picture.glow(x, y, 110, LAMP, 0.7)


def title() -> Canvas:
    picture = Canvas(WIDTH, HEIGHT)
    sky(picture, NIGHT, DUSK, 460)
    stars(picture, 7, 460)
    moon(picture, 330, 170, 70)
    hills(picture, 462, 90, 0.6, (40, 46, 96))
    sea(picture, 460, SEA, (58, 68, 128), MOON, 330)
    cliff = [(820, 720), (880, 560), (960, 500), (1090, 470), (1180, 486), (1280, 520), (1280, 720)]
    picture.fill(cliff, (24, 26, 52))
    lighthouse(picture, 1070, 480, 250)
    beam(picture, 1070, 212, 0, 330, 120)
    return picture


def post_office() -> Canvas:
    picture = Canvas(WIDTH, HEIGHT)
    picture.fill(box(0, 0, WIDTH, HEIGHT), from_top((88, 60, 62), (146, 100, 78), 0, 560))
    picture.fill(box(90, 90, 360, 300, 12), (70, 44, 40))
    picture.fill(box(106, 106, 328, 268), from_top(NIGHT, DUSK, 106, 374))
    chance = random.Random(3)
    for _ in range(26):
        picture.fill(ellipse(chance.uniform(112, 428), chance.uniform(112, 320), 1.4, 1.4), WHITE, 0.8)
    picture.fill(ellipse(356, 172, 30, 30), MOON)
    picture.fill(ellipse(344, 164, 27, 27), from_top(NIGHT, DUSK, 106, 374))
    picture.fill(box(264, 106, 12, 268), (70, 44, 40))
    picture.fill(box(106, 232, 328, 12), (70, 44, 40))
    picture.fill(box(560, 70, 640, 400, 8), (74, 46, 40))
    envelopes: tuple[Colour, ...] = ((244, 232, 204), (214, 226, 232), (238, 206, 186), (250, 244, 228))
    for row in range(4):
        for column in range(7):
            x, y = 574 + column * 89, 84 + row * 96
            picture.fill(box(x, y, 80, 86, 3), (48, 30, 32))
            for letter in range(chance.randint(0, 4)):
                left = x + 8 + letter * 16
                top = y + chance.uniform(18, 34)
                picture.fill(box(left, top, 12, y + 84 - top), envelopes[chance.randrange(4)])
    picture.glow(520, 130, 300, LAMP, 0.75)
    picture.fill([(480, 120), (560, 120), (590, 170), (450, 170)], (52, 92, 88))
    picture.fill(box(518, 0, 4, 122), (40, 30, 34))
    picture.fill(ellipse(520, 172, 40, 9), (255, 242, 200))
    picture.fill(box(0, 560, WIDTH, 160), from_top((126, 78, 52), (84, 50, 40), 560, 720))
    picture.fill(box(0, 548, WIDTH, 22), (164, 106, 68))
    for x in range(150, WIDTH, 180):
        picture.fill(box(x, 590, 4, 130), (70, 42, 36), 0.7)
    picture.fill(box(200, 500, 120, 50, 4), envelopes[0])
    picture.fill([(200, 502), (320, 502), (260, 532)], (216, 198, 160))
    picture.fill(box(980, 470, 60, 80, 10), RED)
    picture.fill(box(992, 492, 36, 7, 3), (60, 24, 28))
    return picture


def harbour() -> Canvas:
    picture = Canvas(WIDTH, HEIGHT)
    sky(picture, (16, 22, 54), (70, 72, 128), 400)
    stars(picture, 11, 400)
    moon(picture, 900, 140, 54)
    hills(picture, 402, 120, 2.2, (36, 42, 88))
    chance = random.Random(5)
    for _ in range(34):
        x, y = chance.uniform(0, 560), chance.uniform(352, 396)
        picture.fill(box(x, y, 5, 6), LAMP, 0.85)
    sea(picture, 400, SEA, (62, 70, 130), MOON, 900)
    for x, y, size, colour in ((250, 470, 1.0, (176, 84, 74)), (520, 440, 0.62, (86, 126, 142))):
        hull = [(-120, 0), (120, 0), (84, 46), (-90, 46)]
        picture.fill([(x + a * size, y + b * size) for a, b in hull], colour)
        picture.fill(box(x - 30 * size, y - 44 * size, 64 * size, 44 * size, 4), WHITE)
        picture.fill(box(x - 16 * size, y - 32 * size, 22 * size, 16 * size), LAMP)
        picture.fill(box(x + 46 * size, y - 120 * size, 5 * size, 120 * size), (60, 46, 52))
    picture.fill([(0, 720), (0, 610), (1280, 560), (1280, 720)], (78, 56, 58))
    for x in range(0, WIDTH, 74):
        top = 610 - x * 50 / WIDTH
        picture.fill([(x, top), (x + 6, top), (x - 30, 720), (x - 40, 720)], (50, 36, 44))
    for x in (120, 470, 820, 1170):
        top = 610 - x * 50 / WIDTH
        picture.fill(box(x - 5, top - 190, 10, 190), (40, 34, 48))
        picture.glow(x, top - 196, 90, LAMP, 0.8)
        picture.fill(ellipse(x, top - 196, 13, 16), (255, 238, 190))
    return picture


def lighthouse_hill() -> Canvas:
    picture = Canvas(WIDTH, HEIGHT)
    sky(picture, (14, 18, 48), (52, 62, 118), 520)
    stars(picture, 23, 600)
    stars(picture, 29, 500)
    sea(picture, 520, SEA, (46, 58, 114), WHITE, 240)
    picture.fill([(420, 720), (560, 610), (760, 570), (1010, 560), (1280, 600), (1280, 720)], (34, 44, 58))
    picture.fill([(0, 720), (0, 668), (300, 676), (560, 650), (900, 640), (1280, 660), (1280, 720)], (24, 32, 44))
    lighthouse(picture, 880, 580, 380)
    beam(picture, 880, 172, 0, 60, 130)
    beam(picture, 880, 172, 1280, 250, 70)
    return picture


def dawn() -> Canvas:
    picture = Canvas(WIDTH, HEIGHT)
    sky(picture, (96, 130, 186), (255, 204, 158), 430)
    picture.glow(700, 420, 420, (255, 226, 160), 0.9)
    picture.fill(ellipse(700, 420, 76, 76), (255, 244, 206))
    for x, y, width in ((220, 150, 150), (980, 110, 190), (520, 230, 120), (1120, 270, 100)):
        for part, lift in ((-0.5, 4), (0.0, -14), (0.45, 0)):
            picture.fill(ellipse(x + part * width, y + lift, width * 0.42, 22), (255, 236, 222), 0.8)
    hills(picture, 432, 80, 4.1, (146, 120, 150))
    sea(picture, 430, (84, 122, 168), (240, 190, 168), (255, 240, 200), 700)
    for x, y, size in ((380, 260, 20), (440, 232, 14), (860, 200, 18)):
        for side in (-1, 1):
            wing = [(x, y), (x + side * size, y - size * 0.6), (x + side * size * 1.9, y - size * 0.1)]
            picture.fill([*wing, (x + side * size, y - size * 0.36)], (70, 74, 104))
    picture.fill([(0, 720), (0, 596), (190, 620), (330, 676), (420, 720)], (92, 82, 104))
    lighthouse(picture, 130, 614, 210)
    return picture


PLACES = {
    "title.png": title,
    "post_office.png": post_office,
    "harbour.png": harbour,
    "lighthouse.png": lighthouse_hill,
    "dawn.png": dawn,
}

if __name__ == "__main__":
    folder = Path(__file__).parent.parent / "game" / "background"
    folder.mkdir(parents=True, exist_ok=True)
    for name, paint in PLACES.items():
        paint().save(folder / name)
