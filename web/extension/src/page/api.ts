/** What the worker can ask of a page: calls and their answers, without implementation. */

export interface Box { x: number; y: number; w: number; h: number }
export interface Point { x: number; y: number }

/** An element, named by its ref in this frame or by an XPath. */
export interface Target { ref?: number; xpath?: string }

export interface Identity { tag: string; role: string; name: string }

export interface IndexedElement extends Identity {
  ref: number;
  text?: string;
  value?: string;
  states?: string[];
  /** Helps to recognise an element that has no name. */
  hint?: string;
  xpath?: string;
  box?: Box;
  isInView: boolean;
}

/**
 * An iframe as its parent sees it; `index` is its position in `window.frames`, which its child can find out as well.
 */
export interface ChildFrame { index: number; box: Box; scale: number; isVisible: boolean }

export interface FrameIndex {
  elements: IndexedElement[];
  /** How many there are in this frame, including those left out, and how many of them are in its view. */
  total: number;
  inView: number;
  next: number;
  /** This frame's position in its parent's `window.frames`; -1 in the top frame and inside shadow trees. */
  place: number;
  children: ChildFrame[];
  /** Whether this document contains other documents, in any way. */
  hasFrames: boolean;
  view: { x: number; y: number; width: number; height: number };
  url: string;
  title: string;
}

/** `lines` have numbers between U+0001 and U+0002, and the position of a frame between U+0003 and U+0002. */
export interface FrameView { lines: string[]; next: number; place: number; above: number; below: number; url: string; title: string }

/**
 * A point in this frame, and the frame's own position in its parent. `isAlone`: the page has no frame that could
 * receive the mouse instead. `isInPopup`: the element is in something that lies over the page, such as an open list.
 * `inner`: the frame that lies at this point, and where in it.
 */
export interface FramePoint { point: Point; place: number; isAlone?: boolean; isInPopup?: boolean; inner?: { place: number; point: Point } }
export type FieldKind = "text" | "editable" | "formatted";
/** `url` is the address of the changed document; `isEarly`: what the document has queued has not run yet. */
export interface Changes {
  added: string[]; removed: string[]; more: number; next: number; url: string; isEarly: boolean;
  /** The content of the field that was typed into; null for passwords. */
  held?: string | null;
  /** The element that received the mouse press, if it isn't the one that was aimed at. */
  missed?: string;
  /** The kind of field that was written into. */
  wrote?: FieldKind;
  /** Nothing that words can describe, but the page may look different. */
  isOtherLook?: true;
}
export interface TextMatch { text: string; ref?: number; tag?: string; box?: Box }
/** Without `markdown`, the text serves as both. */
export interface Article { url: string; title?: string; text: string; markdown?: string }
export interface Outlined extends Identity { ref: number; next: number; digest: string }
/** What a person is shown of an element: where it leads, what its form contains, the text near it. */
export interface Shown {
  destination?: { method: string; url: string; by: "link" | "button" | "form" };
  fields: { name: string; kind: string; value: string; length?: number }[];
  near: string[];
  /** What other frames show: the text around the element's own frame, and the text in frames near it. */
  frames?: { where: "around" | "beside"; text: string }[];
  /** The origin of the element's frame, if it is another one than the page's. */
  frameOrigin?: string;
}
/**
 * An element as it was when its picture had been taken; `unseen` says why it can't be seen there, `frames` lists the
 * frames near it.
 */
export interface PicturedElement { digest: string; shown: Shown; frames: number[]; unseen?: string }
export interface Scrolled { x: number; y: number; atEnd: boolean }
export interface PageFailure { code: string; message: string; details?: Record<string, unknown> }

export type Written = Parameters<PageApi["write"]>[0] & { isHeard: boolean };

/** The first free number of a task: no number is used twice in any of its tabs. */
export interface Floor { series: string; next: number }

/** `floor` prevents that numbers of other documents of the task are used again. */
export interface PageApi {
  index(request: { floor: Floor; most: number; boxes: boolean; scope: "viewport" | "document"; attribute: boolean; xpaths: boolean }): FrameIndex;
  view(request: { floor: Floor; scope: "viewport" | "document" }): FrameView;
  /** `at`: a point of the element, from its upper left corner; by default any free point. */
  aim(request: { target: Target; purpose: "click" | "hover"; waitMs: number; at?: Point; expected?: string }): Promise<FramePoint>;
  /** The element at a point of the viewport, and where in the element that point is. */
  elementAt(request: { floor: Floor; point: Point }): { ref: number; next: number; at: Point };
  /** The current state of these elements, in a short form. */
  digests(request: { targets: Target[] }): string;
  boxOf(request: { target: Target }): Box;
  fieldKind(request: { target: Target }): "text" | "select" | "check" | "other";
  isChecked(request: { target: Target }): boolean;
  /** An item of the open list, by its label. With the `opener`: only if its list is open already. */
  option(request: { label: string; floor: Floor; opener?: Target }): { ref: number; next: number } | { labels: string[] };
  selectText(request: { target: Target; text?: string; expected?: string }): string;
  frameAt(request: { place: number; nonce?: string; point: Point; waitMs: number }): Promise<FramePoint>;
  announce(request: { nonce: string }): void;
  /** This frame's position in its parent's `window.frames`; -1 in shadow trees. */
  ownPlace(): number;
  /** The position of the frame at this point or with the focus, null if there is none; -1 for one in a shadow tree. */
  frameUnder(request: { point?: Point }): number | null;
  /** Positions of the frames that a person sees near the element; -1 for one in a shadow tree. */
  framesNear(request: { target?: Target }): number[];
  /** The text near a child frame. */
  aroundFrame(request: { place: number; nonce?: string }): Promise<string>;
  /** The whole text of this frame, shortened. */
  frameText(): string;
  clickInPage(request: { target: Target; waitMs: number; expected?: string }): Promise<void>;
  /** Changes are watched from here on. */
  focus(request: { target: Target; append: boolean; expected?: string }): Promise<FieldKind>;
  write(request: { target: Target; text: string; append: boolean; isSubmitted: boolean; isTrusted?: boolean; expected?: string }): Promise<FieldKind>;
  /** Without a target, the element that already has the focus. */
  focusElement(request: { target?: Target; expected?: string }): void;
  /** Refuses if the page was changed since the action was checked. */
  verdict(request: { isPressed: boolean }): void;
  /**
   * Resolves once the mouse was pressed on the watched element and all listeners have heard it; then the same as
   * `verdict`.
   */
  pressed(request: Record<never, never>): Promise<void>;
  lastVerdict(request: { isPressed: boolean }): Promise<void>;
  valueOf(request: { target: Target }): string | null;
  press(request: { target?: Target; key: string; code: string; modifiers: string[]; expected?: string }): void;
  hoverInPage(request: { target: Target; waitMs: number; expected?: string }): Promise<void>;
  select(request: { target: Target; values: string[]; expected?: string }): string[];
  /** Returns whether the page has no frames. */
  watch(): boolean;
  hearClick(request: { floor: Floor }): Promise<Changes | null>;
  /**
   * `isPatient`: waits for a page that hasn't reacted yet. `typedInto`: the field whose content is the answer;
   * `written` replaces its content first. Unless it `isHeard`, the page can't react. With `isJudged`, this is also the
   * last verdict on the action; with `isPressed`, the mouse must have reached the element.
   */
  rest(request: { quietMs: number; floor: Floor; isEager: boolean; isPatient: boolean; isJudged: boolean; isPressed: boolean; typedInto?: Target; written?: Written }): Promise<Changes>;
  changes(request: { floor: Floor }): Promise<Changes>;
  scroll(request: { expected?: string; target?: Target; direction?: "up" | "down" | "left" | "right"; amount?: number }): Promise<Scrolled>;
  findText(request: { text: string; floor: Floor; limit: number }): { matches: TextMatch[]; total: number; next: number };
  hasText(request: { text: string }): boolean;
  awaitText(request: { text: string; isGone: boolean; timeoutMs: number }): Promise<boolean>;
  awaitQuiet(request: { idleMs: number; timeoutMs: number }): Promise<boolean>;
  html(request: { xpath?: string }): string;
  /**
   * The article if there is one, otherwise all of the page's text; null if the article reader has to be installed
   * first.
   */
  article(): Article | null;
  acceptFile(request: { target: Target; part: string; name?: string; contentType?: string; isLast: boolean; isFirst: boolean }): Promise<void>;
  giveFiles(request: { target: Target; expected?: string }): string[];
  badge(request: { state: "working" | "paused" | "none"; texts: { working: string; paused: string; stop: string } }): void;
  hideBadge(request: { isHidden: boolean }): void;
  /** Without a target, the focused element. */
  outline(request: { target?: Target; floor: Floor }): Outlined;
  removeOutline(): PicturedElement | null;
}

export type PageMethod = keyof PageApi;
export type Answer<M extends PageMethod> = Awaited<ReturnType<PageApi[M]>>;
export type PageRequest<M extends PageMethod> = Parameters<PageApi[M]> extends [infer A] ? A : Record<string, never>;

/**
 * How an answer travels: a failure keeps its code and details, which a rejected promise would lose. `elsewhere`: the
 * page is not the intended one and was not asked.
 */
export type Reply<T> = { missing: true } | { elsewhere: true } | { failure: PageFailure } | { value: T };
