/** The one sound that is heard. */

import { signal } from "@preact/signals";

export const playing = signal<string | null>(null);
export const unplayable = signal<string | null>(null);
let player: HTMLAudioElement | null = null;

export function toggle(url: string): void {
  const wasPlaying = playing.value === url;
  quiet();
  unplayable.value = null;
  if (wasPlaying) return;
  player = new Audio(url);
  player.onended = quiet;
  playing.value = url;
  player.play().catch(() => {
    if (playing.value !== url) return;
    quiet();
    unplayable.value = url;
  });
}

export function quiet(): void {
  player?.pause();
  player = null;
  playing.value = null;
}
