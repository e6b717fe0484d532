import { useRef, useState } from "preact/hooks";
import { boxOf, describeLine, lineAt, pictureUrl, type DesktopLine, type DesktopSnapshot } from "../logic/desktop";
import { visible } from "../../../logic/visible";
import { Facts } from "../../../ui/Facts";
import { focusBeside } from "../../../ui/focus";
import { Moment } from "../../../ui/Moment";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import "../../../ui/picture.css";
import { words } from "../words";

/** The picture and the window as text. Pointing at one shows the place in the other; a click keeps it. */
export function DesktopView({ sight }: { sight: DesktopSnapshot }) {
  const t = words.value;
  const [pointed, setPointed] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const shown = sight.lines.find(({ elementId }) => elementId === (pointed ?? chosen));

  function chooseInPicture(line: DesktopLine | null): void {
    setChosen(line?.elementId ?? null);
    const at = sight.lines.findIndex(({ elementId }) => elementId === line?.elementId);
    list.current?.querySelectorAll("button")[at]?.focus({ preventScroll: false });
  }

  return (
    <div class="desktop-seen">
      <section class="card" aria-label={t.picture}>
        <Picture sight={sight} shown={shown} point={(line) => setPointed(line?.elementId ?? null)} choose={chooseInPicture} />
        <p class="sub">{t.pointHint}</p>
        <Facts
          facts={[
            [t.window, sight.route.windowTitle],
            [t.app, sight.route.frontmostBundleId],
            [t.taken, <Moment at={sight.takenAt} />],
            [t.size, `${sight.area.width} × ${sight.area.height}`],
          ]}
        />
      </section>
      <section class="card" aria-label={t.outline(sight.lines.length)}>
        <h2>{t.outline(sight.lines.length)}</h2>
        {sight.lines.length === 0 && <p class="nothing">{t.noOutline}</p>}
        {sight.truncated && <p class="sub">{t.cut}</p>}
        <ul ref={list} class="elements desktop-lines" onKeyDown={(event) => focusBeside(event, "button")} onPointerLeave={() => setPointed(null)}>
          {sight.lines.map((line, at) => (
            <li key={at} style={{ paddingInlineStart: `${Math.min(line.depth, 12) * 14}px` }}>
              <button
                type="button"
                class="mono"
                aria-pressed={line.elementId === chosen}
                data-shown={line.elementId === shown?.elementId}
                tabIndex={line.elementId === chosen || (chosen === null && at === 0) ? 0 : -1}
                onPointerEnter={() => setPointed(line.elementId)}
                onFocus={() => setChosen(line.elementId)}
                onClick={() => setChosen(line.elementId)}
              >
                <Visible text={describeLine(line)} />
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

interface PictureProps {
  sight: DesktopSnapshot;
  shown: DesktopLine | undefined;
  point: (line: DesktopLine | null) => void;
  choose: (line: DesktopLine | null) => void;
}

function Picture({ sight, shown, point, choose }: PictureProps) {
  const t = words.value;
  const box = shown ? boxOf(shown, sight.area) : null;
  const under = (event: PointerEvent | MouseEvent): DesktopLine | null => {
    const { left, top, width, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return lineAt(sight, (event.clientX - left) / width, (event.clientY - top) / height);
  };
  return (
    <div class="drawn" onPointerMove={(event) => point(under(event))} onPointerLeave={() => point(null)} onClick={(event) => choose(under(event))}>
      <ServerImage url={pictureUrl(sight)} alt={t.pictureOf(visible(sight.route.windowTitle || t.untitled))} width={sight.area.width} height={sight.area.height} />
      {box && shown && (
        <div class="boxes" aria-hidden="true">
          <span class={`box pointed ${box.left > 60 ? "from-right" : ""} ${box.top < 6 ? "below" : ""}`} style={{ left: `${box.left}%`, top: `${box.top}%`, width: `${box.width}%`, height: `${box.height}%` }}>
            <span class="box-label">{visible(describeLine(shown))}</span>
          </span>
        </div>
      )}
    </div>
  );
}
