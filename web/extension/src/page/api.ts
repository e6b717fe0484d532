/** What the worker can ask of a page: the calls, their answers and nothing about how either side does it. */

export interface Box { x: number; y: number; w: number; h: number }
export interface Point { x: number; y: number }

/** An element is named by its ref in this frame, or by an XPath. */
export interface Target { ref?: number; xpath?: string }

export interface Identity { tag: string; role: string; name: string }

export interface IndexedElement extends Identity {
  ref: number;
  text?: string;
  value?: string;
  states?: string[];
  /** By which one without a name may be known. */
  hint?: string;
  xpath?: string;
  box?: Box;
  isInView: boolean;
}

/** An iframe as its parent sees it; `index` is its place in `window.frames`, which its child can find as well. */
export interface ChildFrame { index: number; box: Box; scale: number; isVisible: boolean }

export interface FrameIndex {
  elements: IndexedElement[];
  /** How many there are in this frame, told or not, and how many of them are in its view. */
  total: number;
  inView: number;
  next: number;
  /** This frame's place in its parent's `window.frames`; -1 in the top frame and inside shadow trees. */
  place: number;
  children: ChildFrame[];
  /** Whether there are documents inside this one, in whichever way. */
  hasFrames: boolean;
  view: { x: number; y: number; width: number; height: number };
  url: string;
  title: string;
}

/** `lines` hold numbers between U+0001 and U+0002, and where a frame is, its place between U+0003 and U+0002. */
export interface FrameView { lines: string[]; next: number; place: number; above: number; below: number; url: string; title: string }

/** A point in this frame, and the frame's own place in its parent. */
/** `isAlone`: no frame is in the page that the mouse could end up in. */
export interface FramePoint { point: Point; place: number; isAlone?: boolean }
export type FieldKind = "text" | "editable" | "formatted";
/** `url` is the address of the document that these are the changes of; `isEarly`: what it has queued has not run yet. */
export interface Changes {
  added: string[]; removed: string[]; more: number; next: number; url: string; isEarly: boolean;
  /** What the field holds that was typed into; null for passwords. */
  held?: string | null;
  /** What the mouse was pressed on, where that isn't what was aimed at. */
  missed?: string;
  /** What kind of field was written into. */
  wrote?: FieldKind;
  /** Nothing that can be said in words, but the page does not look the same. */
  isOtherLook?: true;
}
export interface TextMatch { text: string; ref?: number; tag?: string; box?: Box }
/** Without `markdown` the text is that as well. */
export interface Article { url: string; title?: string; text: string; markdown?: string }
export interface Outlined extends Identity { ref: number; next: number; digest: string }
/** What a person is shown of an element: where it leads, what its form holds, the text near it. */
export interface Shown {
  destination?: { method: string; url: string; by: "link" | "button" | "form" };
  fields: { name: string; kind: string; value: string; length?: number }[];
  near: string[];
  /** What other frames show: the text around the frame that the element is in, and in frames that lie near it. */
  frames?: { where: "around" | "beside"; text: string }[];
}
/** An element as it was when its picture had been taken; `unseen` says why it can't be seen there, `frames` which frames lie near it. */
export interface Look { digest: string; shown: Shown; frames: number[]; unseen?: string }
export interface Scrolled { x: number; y: number; atEnd: boolean }
export interface PageFailure { code: string; message: string; details?: Record<string, unknown> }

export type Written = Parameters<PageApi["write"]>[0] & { isHeard: boolean };

/** The first free number of a task: none is given twice in any of its tabs. */
export interface Floor { series: string; next: number }

/** `floor` keeps numbers of other documents of the task from being given again. */
export interface PageApi {
  index(ask: { floor: Floor; most: number; boxes: boolean; scope: "viewport" | "document"; attribute: boolean; xpaths: boolean }): FrameIndex;
  view(ask: { floor: Floor; scope: "viewport" | "document" }): FrameView;
  /** `at`: a point of the element, from its upper left corner; otherwise any that is free. */
  aim(ask: { target: Target; purpose: "click" | "hover"; waitMs: number; at?: Point; expected?: string }): Promise<FramePoint>;
  /** What lies at a point of the view, and where in it that point is. */
  elementAt(ask: { floor: Floor; point: Point }): { ref: number; next: number; at: Point };
  /** What these elements are now, in a short form. */
  digests(ask: { targets: Target[] }): string;
  boxOf(ask: { target: Target }): Box;
  fieldKind(ask: { target: Target }): "text" | "select" | "check" | "other";
  isChecked(ask: { target: Target }): boolean;
  /** An item of what is open, by its label. */
  option(ask: { label: string; floor: Floor }): { ref: number; next: number } | { labels: string[] };
  selectText(ask: { target: Target; text?: string; expected?: string }): string;
  frameAt(ask: { place: number; nonce?: string; point: Point; waitMs: number }): Promise<FramePoint>;
  announce(ask: { nonce: string }): void;
  /** This frame's place in its parent's `window.frames`; -1 in shadow trees. */
  ownPlace(): number;
  /** Places of the frames that a person sees near the element; -1 for one in a shadow tree. */
  framesNear(ask: { target?: Target }): number[];
  /** The text near a child frame. */
  aroundFrame(ask: { place: number; nonce?: string }): Promise<string>;
  /** All that this frame says, shortened. */
  frameText(): string;
  clickInPage(ask: { target: Target; waitMs: number; expected?: string }): Promise<void>;
  /** Changes are watched from here on. */
  focus(ask: { target: Target; append: boolean; expected?: string }): Promise<FieldKind>;
  write(ask: { target: Target; text: string; append: boolean; isSubmitted: boolean; isTrusted?: boolean; expected?: string }): Promise<FieldKind>;
  /** Without a target, what has the focus already. */
  focusElement(ask: { target?: Target; expected?: string }): void;
  /** Refuses where the page was changed since the act was checked. */
  verdict(ask: { isPressed: boolean }): void;
  /** Resolves once the mouse was pressed on the watched element and all listeners have heard it; the same as `verdict` then. */
  pressed(ask: Record<never, never>): Promise<void>;
  lastVerdict(ask: { isPressed: boolean }): Promise<void>;
  valueOf(ask: { target: Target }): string | null;
  press(ask: { target?: Target; key: string; code: string; modifiers: string[]; expected?: string }): void;
  hoverInPage(ask: { target: Target; waitMs: number; expected?: string }): Promise<void>;
  select(ask: { target: Target; values: string[]; expected?: string }): string[];
  watch(): void;
  hearClick(ask: { floor: Floor }): Promise<Changes | null>;
  /** `isPatient`: a page without an answer is given time for one. `typedInto`: what it holds now is the answer; `written` first takes the place of all that it holds; unless it `isHeard`, the page can't answer. With `isJudged`, it is also the last verdict on the act; with `isPressed`, the mouse must have reached the element. */
  rest(ask: { quietMs: number; floor: Floor; isEager: boolean; isPatient: boolean; isJudged: boolean; isPressed: boolean; typedInto?: Target; written?: Written }): Promise<Changes>;
  changes(ask: { floor: Floor }): Promise<Changes>;
  scroll(ask: { expected?: string; target?: Target; direction?: "up" | "down" | "left" | "right"; amount?: number }): Promise<Scrolled>;
  findText(ask: { text: string; floor: Floor; limit: number }): { matches: TextMatch[]; total: number; next: number };
  hasText(ask: { text: string }): boolean;
  awaitText(ask: { text: string; isGone: boolean; timeoutMs: number }): Promise<boolean>;
  awaitQuiet(ask: { idleMs: number; timeoutMs: number }): Promise<boolean>;
  html(ask: { xpath?: string }): string;
  /** Its article where it has one, otherwise all of its text; null where the reader for articles has to be there first. */
  article(): Article | null;
  acceptFile(ask: { target: Target; part: string; name?: string; contentType?: string; isLast: boolean; isFirst: boolean }): Promise<void>;
  giveFiles(ask: { target: Target; expected?: string }): string[];
  badge(ask: { state: "working" | "paused" | "none"; texts: { working: string; paused: string; stop: string } }): void;
  hideBadge(ask: { isHidden: boolean }): void;
  /** Without a target, what has the focus. */
  outline(ask: { target?: Target; floor: Floor }): Outlined;
  removeOutline(): Look | null;
}

export type PageMethod = keyof PageApi;
export type Answer<M extends PageMethod> = Awaited<ReturnType<PageApi[M]>>;
export type Ask<M extends PageMethod> = Parameters<PageApi[M]> extends [infer A] ? A : Record<string, never>;

/** How an answer travels: a failure keeps its code and details, which a rejected promise would lose. */
/** `elsewhere`: the page is not the one that is meant, and was not asked. */
export type Reply<T> = { missing: true } | { elsewhere: true } | { failure: PageFailure } | { value: T };
