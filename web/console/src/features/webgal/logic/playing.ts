/** The one sound that is heard. */

import { fetchFile } from "@handrail/host";
import { signal } from "@preact/signals";

export const playing = signal<string | null>(null);
export const unplayable = signal<string | null>(null);
let player: HTMLAudioElement | null = null;
let source: string | null = null;

export function toggle(url: string): void {
  const wasPlaying = playing.value === url;
  quiet();
  unplayable.value = null;
  if (wasPlaying) return;
  playing.value = url;
  play(url).catch(() => {
    if (playing.value !== url) return;
    quiet();
    unplayable.value = url;
  });
}

async function play(url: string): Promise<void> {
  const sound = await fetchFile(url);
  if (playing.value !== url) return;
  source = URL.createObjectURL(sound);
  player = new Audio(source);
  player.onended = quiet;
  await player.play();
}

export function quiet(): void {
  player?.pause();
  player = null;
  if (source !== null) URL.revokeObjectURL(source);
  source = null;
  playing.value = null;
}
