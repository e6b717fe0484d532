"""The game's sounds, computed from sine waves: a music box and a bell. Run it to regenerate them."""

import wave
from math import exp, pi, sin
from pathlib import Path

RATE = 11025
NOTES = {"C4": 261.6, "D4": 293.7, "E4": 329.6, "G4": 392.0, "A4": 440.0, "C5": 523.3, "D5": 587.3, "E5": 659.3}
MELODY = ("C4", "G4", "E5", "D5", "C5", "G4", "A4", "C5", "D4", "A4", "E5", "C5", "G4", "E4", "D4", "G4")
BEAT_S = 0.5


def struck(frequency: float, length_s: float, fading: float) -> list[float]:
    """One note of a music box, with an overtone, fading out."""
    steps = range(int(RATE * length_s))
    return [
        exp(-fading * step / RATE)
        * (sin(2 * pi * frequency * step / RATE) + 0.35 * sin(6 * pi * frequency * step / RATE))
        for step in steps
    ]


def music_box() -> list[float]:
    """The melody once; each note rings into the next, and the last one into the first, so that it can loop."""
    samples = [0.0] * int(RATE * BEAT_S * len(MELODY))
    for beat, note in enumerate(MELODY):
        start = int(beat * BEAT_S * RATE)
        for step, value in enumerate(struck(NOTES[note], 3 * BEAT_S, 2.4)):
            samples[(start + step) % len(samples)] += value
    return samples


def bell() -> list[float]:
    first, second = struck(1318.5, 1.2, 5.0), struck(1046.5, 1.0, 5.0)
    start = len(first) - len(second)
    return [value + (second[step - start] if step >= start else 0.0) for step, value in enumerate(first)]


def save(path: Path, samples: list[float]) -> None:
    loudest = max(map(abs, samples))
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(RATE)
        file.writeframes(bytes(round(128 + 90 * value / loudest) for value in samples))


if __name__ == "__main__":
    game = Path(__file__).parent.parent / "game"
    save(game / "bgm" / "night.wav", music_box())
    save(game / "vocal" / "bell.wav", bell())
