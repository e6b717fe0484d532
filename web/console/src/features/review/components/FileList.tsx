import { useMemo } from "preact/hooks";
import { Chunked } from "../../../ui/Chunked";
import { Visible } from "../../../ui/Visible";
import { type Chosen, chooseFile, isChoosable, type Item, type Row, rowsOf, sizeOf } from "../logic/items";
import { words } from "../words";

interface Props {
  items: Item[];
  chosen: Chosen;
  choose: (chosen: Chosen) => void;
  path: string;
  open: (path: string) => void;
}

const SIGNS: Record<Item["status"], string> = { added: "A", modified: "M", deleted: "D", folder: "A", "folder deleted": "D", other: "!" };
const ROW_HEIGHT = 34;

/** Files by group, each with a checkbox. Up and Down move through them. */
export function FileList({ items, chosen, choose, path, open }: Props) {
  const t = words.value;
  const rows = useMemo(() => rowsOf(items), [items]);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const shown = rows.flatMap((row) => (row.kind === "item" ? [row.item.path] : []));
    const next = shown[shown.indexOf(path) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next === undefined) return;
    event.preventDefault();
    open(next);
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>(".review-item[aria-current] .review-open")?.focus());
  };
  return (
    <nav class="review-list" aria-label={t.files} data-scroller onKeyDown={press}>
      <Chunked rows={rows} rowHeight={ROW_HEIGHT} render={(row) => <ListRow key={row.kind === "group" ? row.group : row.item.path} row={row} chosen={chosen} choose={choose} isOpen={row.kind === "item" && row.item.path === path} open={open} />} />
    </nav>
  );
}

interface RowProps {
  row: Row;
  chosen: Chosen;
  choose: (chosen: Chosen) => void;
  isOpen: boolean;
  open: (path: string) => void;
}

function ListRow({ row, chosen, choose, isOpen, open }: RowProps) {
  const t = words.value;
  if (row.kind === "group") return <h2 class="review-group">{t.groups[row.group]} <span class="sub">{row.count}</span></h2>;
  const { item } = row;
  const which = chosen.get(item.path);
  return (
    <div class="review-item" aria-current={isOpen ? "true" : undefined}>
      <label class="review-pick">
        <input
          type="checkbox"
          aria-label={t.choose(item.path)}
          checked={which === "all"}
          indeterminate={which !== undefined && which !== "all"}
          disabled={!isChoosable(item)}
          onChange={(event) => choose(chooseFile(chosen, item.path, event.currentTarget.checked))}
        />
      </label>
      <button type="button" class="review-open" onClick={() => open(item.path)}>
        <span class={`review-sign ${item.status === "deleted" || item.status === "folder deleted" ? "gone" : item.status === "other" ? "no" : ""}`} title={t.status[item.status]}>{SIGNS[item.status]}</span>
        <span class="review-path"><Visible text={item.path} /></span>
        <Marks item={item} />
      </button>
    </div>
  );
}

function Marks({ item }: { item: Item }) {
  const t = words.value;
  return (
    <span class="review-marks">
      {item.runsLater && <span class="chip later" title={item.runsLater}>{t.runsLater}</span>}
      {item.conflict && <span class="chip bad">{t.conflict}</span>}
      {item.renamedFrom ? <span class="sub"><Visible text={t.renamed(item.renamedFrom)} /></span> : null}
      {item.files ? <span class="sub">{t.filesInside(item.files, sizeOf(item.size ?? 0))}</span> : null}
      {item.added ? <span class="plus">+{item.added}</span> : null}
      {item.removed ? <span class="minus">−{item.removed}</span> : null}
    </span>
  );
}
