/** The one sound that is playing. */

import { fetchFile } from "@handrail/host";
import { signal } from "@preact/signals";

export const playing = signal<string | null>(null);
export const unplayable = signal<string | null>(null);
let player: HTMLAudioElement | null = null;
let source: string | null = null;

export function toggle(url: string): void {
  const wasPlaying = playing.value === url;
  stopSound();
  unplayable.value = null;
  if (wasPlaying) return;
  playing.value = url;
  play(url).catch(() => {
    if (playing.value !== url) return;
    stopSound();
    unplayable.value = url;
  });
}

async function play(url: string): Promise<void> {
  const sound = await fetchFile(url);
  if (playing.value !== url) return;
  source = URL.createObjectURL(sound);
  player = new Audio(source);
  player.onended = stopSound;
  await player.play();
}

export function stopSound(): void {
  player?.pause();
  player = null;
  if (source !== null) URL.revokeObjectURL(source);
  source = null;
  playing.value = null;
}
