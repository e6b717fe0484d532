/** The view of variables: where each is set and read, its value in the preview, and values to preview with. */
import {
  type Command, EventEmitter, l10n, type Memento, Range, ThemeIcon, TreeItem, TreeItemCollapsibleState,
  type TreeDataProvider, Uri, window, workspace,
} from "vscode";
import type { GameVariable, Place, Server, Stage, Value } from "./server.js";

const KEPT = "handrail.given";

export class Variables implements TreeDataProvider<Variable | Use> {
  private readonly changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private values: Record<string, unknown> = {};

  constructor(private readonly server: Server, private readonly kept: Memento) {
    server.onStage((stage: Stage) => {
      if (JSON.stringify(stage.variables) === JSON.stringify(this.values)) return;
      this.values = stage.variables;
      this.refresh();
    });
  }

  refresh(): void {
    this.changed.fire();
  }

  /** The values that every preview starts with. */
  given(): Record<string, Value> {
    return this.kept.get(KEPT, {});
  }

  async ask(chosen?: Variable): Promise<boolean> {
    const name = chosen?.name ?? (await window.showInputBox({ prompt: l10n.t("Name of the variable") }));
    if (!name) return false;
    const before = this.given()[name] ?? this.values[name];
    const prompt = l10n.t("Value of {0} at the start of each preview", name);
    const text = await window.showInputBox({ prompt, value: before === undefined ? "" : String(before) });
    if (text === undefined) return false;
    await this.kept.update(KEPT, { ...this.given(), [name]: valueOf(text) });
    this.refresh();
    return true;
  }

  clear(chosen: Variable): void {
    const { [chosen.name]: _, ...others } = this.given();
    void this.kept.update(KEPT, others);
    this.refresh();
  }

  getTreeItem(item: Variable | Use): TreeItem {
    return item;
  }

  async getChildren(item?: Variable | Use): Promise<(Variable | Use)[]> {
    if (item instanceof Use) return [];
    if (item) return item.uses();
    const scene = await anyScene();
    if (!scene || !this.server.isRunning) return [];
    const known = await this.server.variables(scene);
    return known.map((each) => new Variable(each, this.values[each.name], this.given()[each.name]));
  }
}

export class Variable extends TreeItem {
  readonly name: string;

  constructor(private readonly known: GameVariable, now: unknown, given: Value | undefined) {
    super(known.name, TreeItemCollapsibleState.Collapsed);
    this.name = known.name;
    const shown = now === undefined ? "" : `= ${String(now)}`;
    this.description = given === undefined ? shown : `${shown} (${l10n.t("starts as {0}", String(given))})`.trim();
    this.contextValue = given === undefined ? "variable" : "variable.given";
    this.iconPath = new ThemeIcon(known.sets.length ? "symbol-variable" : "warning");
    if (!known.sets.length) this.tooltip = l10n.t("Never set");
  }

  uses(): Use[] {
    return [
      ...this.known.sets.map((place) => new Use(place, l10n.t("set"), "edit")),
      ...this.known.reads.map((place) => new Use(place, l10n.t("read"), "eye")),
    ];
  }
}

export class Use extends TreeItem {
  constructor({ uri, range }: Place, what: string, icon: string) {
    const { path } = Uri.parse(uri);
    super(`${path.slice(path.lastIndexOf("/") + 1)}:${range.start.line + 1}`);
    this.description = what;
    this.iconPath = new ThemeIcon(icon);
    const { start, end } = range;
    const selection = new Range(start.line, start.character, end.line, end.character);
    this.command = { command: "vscode.open", title: "", arguments: [Uri.parse(uri), { selection }] } satisfies Command;
  }
}

/** As the engine would read it. */
export function valueOf(text: string): Value {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

async function anyScene(): Promise<string | undefined> {
  const open = window.activeTextEditor?.document;
  if (open?.languageId === "webgal") return open.uri.toString();
  const [found] = await workspace.findFiles("**/game/scene/**/*.txt", "**/node_modules/**", 1);
  return found?.toString();
}
