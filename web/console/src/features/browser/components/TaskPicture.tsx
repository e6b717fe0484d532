import { useState } from "preact/hooks";
import { artifactUrl, describe, isStale, boxesOf, type Picture, type PlacedBox } from "../logic/pageView";
import { visible } from "../../../logic/visible";
import { prefer, preferences } from "../../../preferences";
import { texts } from "../../../store";
import { Chip } from "../../../ui/Chip";
import { Enlarged } from "../../../ui/Enlargeable";
import { Facts } from "../../../ui/Facts";
import { focusBeside } from "../../../ui/focus";
import { Icon } from "../../../ui/Icon";
import { Moment } from "../../../ui/Moment";
import { ServerImage } from "../../../ui/ServerImage";
import { Visible } from "../../../ui/Visible";
import "../../../ui/picture.css";

/** The picture with the index drawn on it. Pointing at a box or at its line highlights both. */
export function TaskPicture({ picture }: { picture: Picture }) {
  const t = texts.value.browser;
  const [pointed, setPointed] = useState<string | null>(null);
  const [isEnlarged, setIsEnlarged] = useState(false);
  const [isGone, setIsGone] = useState(false);
  const { drawsIndex } = preferences.value;
  const boxes = boxesOf(picture);
  const label = t.pictureOf(visible(picture.url ?? ""));
  const drawn = (
    <PictureWithBoxes url={artifactUrl(picture.artifactId)} label={label} size={[picture.width, picture.height]} boxes={drawsIndex ? boxes : []} pointed={pointed} point={setPointed} onGone={() => setIsGone(true)} />
  );
  if (isGone) return <p class="nothing">{t.pictureGone}</p>;
  return (
    <div class={`sight ${isStale(picture) ? "stale" : ""}`}>
      <div class="row sight-bar">
        <label class="check"><input type="checkbox" checked={drawsIndex} disabled={boxes.length === 0} onChange={(event) => prefer({ drawsIndex: event.currentTarget.checked })} />{t.index(boxes.length)}</label>
        {boxes.length === 0 && <span class="sub">{t.noIndex}</span>}
        {isStale(picture) && <Chip text={t.outdated} colour="bad" />}
        <button type="button" class="icon-button" aria-label={t.enlarge} title={t.enlarge} onClick={() => setIsEnlarged(true)}><Icon name="enlarge" /></button>
      </div>
      {drawn}
      {isEnlarged && <Enlarged label={label} close={() => setIsEnlarged(false)}>{drawn}</Enlarged>}
      <Facts
        facts={[
          [t.page, picture.url],
          [t.taken, <Moment at={picture.takenAt} />],
          [t.indexed, picture.indexedAt !== undefined && <Moment at={picture.indexedAt} />],
          [t.size, `${picture.width} × ${picture.height}`],
        ]}
      />
      {boxes.length > 0 && <Elements boxes={boxes} pointed={pointed} point={setPointed} />}
    </div>
  );
}

interface DrawnProps {
  url: string;
  label: string;
  size: readonly [number, number];
  boxes: readonly PlacedBox[];
  pointed: string | null;
  point: (clickId: string | null) => void;
  onGone: () => void;
}

function PictureWithBoxes({ url, label, size: [width, height], boxes, pointed, point, onGone }: DrawnProps) {
  return (
    <div class="drawn">
      <ServerImage url={url} alt={label} width={width} height={height} onGone={onGone} />
      <div class="boxes" aria-hidden="true" onPointerLeave={() => point(null)}>
        {boxes.map(({ element, left, top, width: wide, height: high }) => (
          <span
            key={element.clickId}
            class={`box ${element.clickId === pointed ? "pointed" : ""} ${left > 60 ? "from-right" : ""} ${left < 4 ? "at-left" : ""} ${top < 6 ? "below" : ""}`}
            style={{ left: `${left}%`, top: `${top}%`, width: `${wide}%`, height: `${high}%` }}
            onPointerEnter={() => point(element.clickId)}
          >
            <span class="box-label">{visible(element.clickId === pointed ? describe(element) : element.clickId)}</span>
          </span>
        ))}
      </div>
    </div>
  );
}

function Elements({ boxes, pointed, point }: { boxes: readonly PlacedBox[]; pointed: string | null; point: (clickId: string | null) => void }) {
  const t = texts.value.browser;
  const inReadingOrder = [...boxes].sort((a, b) => a.top - b.top || a.left - b.left);
  return (
    <details>
      <summary>{t.elements(boxes.length)}</summary>
      <ul class="elements" onKeyDown={(event) => focusBeside(event, "button")} onPointerLeave={() => point(null)}>
        {inReadingOrder.map(({ element }, at) => (
          <li key={element.clickId}>
            <button
              type="button"
              class="mono"
              aria-pressed={element.clickId === pointed}
              tabIndex={at === 0 ? 0 : -1}
              onPointerEnter={() => point(element.clickId)}
              onFocus={() => point(element.clickId)}
              onClick={() => point(element.clickId)}
            >
              <Visible text={describe(element)} />
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
