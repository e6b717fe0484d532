import { words } from "../words";

const TREE = `my-game/
└─ game/
   ├─ config.txt      Game_name:My game;
   ├─ scene/
   │  └─ start.txt    changeBg:beach.jpg;
   ├─ background/     beach.jpg
   ├─ figure/         hero.png
   ├─ bgm/            waves.mp3
   └─ vocal/`;

export function NoGame() {
  const w = words.value;
  return (
    <div class="page-body" data-scroller tabIndex={0} role="group" aria-label={w.noGame}>
      <section class="card no-game">
        <h2>{w.noGame}</h2>
        <p>{w.noGameHint}</p>
        <pre tabIndex={0}>{TREE}</pre>
        <p class="sub">{w.noGameStart}</p>
      </section>
    </div>
  );
}
