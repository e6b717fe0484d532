import type { PromptResponse, RequestEntry } from "@handrail/host";
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { later } from "../actions/panel";
import { respond } from "../actions/prompts";
import { isDeliberate } from "../../../logic/attention";
import { isCovered, isTyping } from "../../../logic/keys";
import { presenceNeed, type PresenceNeed } from "../../../logic/presence";
import { fieldErrorsOf, messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { isPanelOpen } from "../store";
import { texts } from "../../../store";
import { PresenceCheck } from "../../../ui/PresenceCheck";
import { Scroller } from "../../../ui/Scroller";
import { Visible } from "../../../ui/Visible";

/** A conversation that shows a question in place. */
interface Place {
  /** Whether the agent has just said the same thing there. */
  isTold: (message: string) => boolean;
}

/** Set if a question is shown within a conversation as well as in the panel: keys then work only inside it. */
export const InPlace = createContext<Place | null>(null);

/** How far a yes reaches. */
export type Reach = Pick<PromptResponse, "scope" | "covers" | "grant">;

/**
 * How long a prompt that has just appeared ignores answers: nobody reads faster, and a second click was meant for the
 * previous one.
 */
const ARMING_MS = 400;
/** On narrow screens the two answers come first, and everything else on demand. */
const NARROW = "(max-width: 760px)";

interface AnswerFormProps {
  request: RequestEntry;
  isShown: boolean;
  /** Absent if it can only be canceled. */
  yes?: string;
  no: string;
  /** A chosen yes that reaches further than once; null for once. Keys always mean once. */
  wider?: { reach: Reach | null; yes: string } | null;
  /** The menu for choosing it. */
  menu?: ComponentChildren;
  /** Below everything: identifiers of the question. */
  details?: ComponentChildren;
  /** The target of a yes can't be seen, so it is never the default of a key or the first button. */
  isUnseen?: boolean;
  /** To be read and dismissed: there is nothing to deny. */
  isNews?: boolean;
  /** Sent with the answer; absent if the kind has no remark. */
  remark?: { value: string; set: (text: string) => void };
  /** The answer, or null if something in it is invalid. */
  collect: () => PromptResponse | null;
  /** Called once the answer is being sent. */
  onSending?: () => void;
  /** Shows the errors beside the named fields where it can, and returns which those are. */
  onFieldErrors?: (errors: ReadonlyMap<string, string>) => readonly string[];
  /** Replaces the plain message. */
  message?: ComponentChildren;
  children?: ComponentChildren;
}

/** The frame of every kind of question: the content scrolls, and the answers below stay visible. */
export function AnswerForm(props: AnswerFormProps) {
  const { request, isShown, yes, no, wider, menu, details, isUnseen = false, isNews = false, remark, collect, onSending, onFieldErrors, message, children } = props;
  const t = texts.value;
  const [isSending, setIsSending] = useState(false);
  const [error, setError] = useState("");
  const [needed, setNeeded] = useState<{ need: PresenceNeed; response: PromptResponse; wider: typeof wider } | null>(null);
  const [remarkProblem, setRemarkProblem] = useState<string | undefined>(undefined);
  const remarkNow = useRef<string | undefined>(undefined);
  remarkNow.current = remark?.value;
  const form = useRef<HTMLFormElement>(null);
  const [isArmed, setIsArmed] = useState(false);
  const [isMoreOpen, setIsMoreOpen] = useState(() => !matchMedia(NARROW).matches || !(menu || remark));
  const remarkProblemId = useId();
  const isInPlace = useContext(InPlace) !== null;
  /** A conversation is wide and low. */
  const isBetween = isInPlace && !matchMedia(NARROW).matches;
  const canCancel = request.prompt.allowCancel !== false && !isNews;

  useEffect(() => {
    setIsArmed(false);
    if (!isShown || !(isInPlace || isPanelOpen.value)) return;
    const arming = setTimeout(() => setIsArmed(true), ARMING_MS);
    return () => clearTimeout(arming);
  }, [isShown, isPanelOpen.value]);

  async function send(response: PromptResponse | null): Promise<void> {
    if (isSending || !isDeliberate(isArmed)) return;
    if (!response) {
      setError(t.fix);
      focusProblem();
      return;
    }
    setIsSending(true);
    setError("");
    setNeeded(null);
    setRemarkProblem(undefined);
    onSending?.();
    const answer = withRemark(response, remark?.value);
    try {
      await respond(request, answer);
    } catch (failure) {
      const need = presenceNeed(failure);
      if (need) {
        setNeeded({ need, response, wider });
        return;
      }
      const errors = fieldErrorsOf(failure);
      const shownFields = new Set([...(onFieldErrors?.(errors) ?? []), ...(remark ? ["remark"] : [])]);
      setRemarkProblem(remark && errors.get("remark"));
      setError(errors.size && [...errors.keys()].every((field) => shownFields.has(field)) ? t.refusedFields : messageOf(failure));
      focusProblem();
    } finally {
      setIsSending(false);
    }
  }

  /** Sends the same answer again with the proof and the current remark, which the proof doesn't cover. */
  async function confirm(presence: object): Promise<void> {
    if (!needed) return;
    setIsSending(true);
    try {
      await respond(request, withRemark(needed.response, remarkNow.current), presence);
    } finally {
      setIsSending(false);
    }
  }

  const focusProblem = (): void =>
    void requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  const allow = (reach: Reach = { scope: "once" }): void => {
    if (yes === undefined) return;
    const response = collect();
    void send(response && wider !== undefined ? { ...response, ...reach } : response);
  };
  /** Reaches as far as the button says. */
  const allowChosen = (): void => {
    if (!wider) allow();
    else if (wider.reach) allow(wider.reach);
  };
  const decline = (): void => void (canCancel && send({ status: "canceled" }));

  const isMeant = (target: EventTarget | null): boolean => {
    const place = target instanceof Element ? target.closest(".in-place") : null;
    return isInPlace ? (place?.contains(form.current) ?? false) : isPanelOpen.value && !place;
  };

  // Before the next key can arrive: what is sent must be what is shown.
  useLayoutEffect(() => {
    if (!isShown) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.repeat || event.isComposing || isCovered() || !isMeant(event.target)) return;
      const isSubmit = event.key === "Enter" && (event.ctrlKey || event.metaKey);
      if (isSubmit && event.target instanceof Element && event.target.closest(".panel, .in-place")) {
        event.preventDefault();
        if (!isUnseen) allow();
      } else if (!isTyping(event)) {
        if ((event.key === "y" || event.key === "Y") && !isUnseen) allow();
        if (event.key === "n" || event.key === "N") decline();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const remarkField = isMoreOpen && remark && (
    <input
      class="remark"
      value={remark.value}
      readOnly={isSending}
      aria-invalid={remarkProblem !== undefined}
      aria-describedby={remarkProblem && remarkProblemId}
      onInput={(event) => remark.set(event.currentTarget.value)}
      onKeyDown={(event) => {
        // Enter in the remark must not mean yes: the remark may be the reason for a denial.
        if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
      }}
      placeholder={t.remarkHint}
      aria-label={t.remark}
      autocomplete="off"
    />
  );

  return (
    <form
      class="answer"
      ref={form}
      aria-busy={isSending}
      data-armed={isArmed}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isUnseen) allowChosen();
      }}
    >
      <Scroller label={visible(request.prompt.title ?? t.questions)}>
        {message ?? (request.prompt.message && <p class="message"><Visible text={request.prompt.message} /></p>)}
        {children}
      </Scroller>
      <div class="foot">
        {isMoreOpen && menu}
        {!isBetween && remarkField}
        {remarkProblem && <p class="problem" id={remarkProblemId}>{remarkProblem}</p>}
        {error && <p class="problem" role="alert">{error}</p>}
        {/* What is confirmed must be what is chosen: after another choice, the answer is given again. */}
        {needed && needed.wider === wider && <PresenceCheck need={needed.need} confirm={confirm} />}
        <div class="row acts">
          {yes === undefined ? null : isUnseen ? (
            <button type="button" class="plain" disabled={isSending || wider?.reach === null} onClick={allowChosen}>{isSending ? t.sending : wider ? wider.yes : yes}</button>
          ) : (
            <button type="submit" class="primary" disabled={isSending || wider?.reach === null}>
              {isSending ? t.sending : wider ? wider.yes : yes} {!wider && <kbd>Y</kbd>}
            </button>
          )}
          {isBetween && remarkField}
          {!isInPlace && <button type="button" class="bare later" onClick={later}>{t.later} <kbd>Esc</kbd></button>}
          {canCancel && (
            <button type="button" class={isUnseen ? "primary no" : "plain no"} disabled={isSending} onClick={decline}>
              {no} <kbd>N</kbd>
            </button>
          )}
        </div>
        {isMoreOpen ? details : <button type="button" class="quiet more-ways" aria-expanded="false" onClick={() => setIsMoreOpen(true)}>{menu ? t.moreWays : t.moreDetails}</button>}
      </div>
    </form>
  );
}

function withRemark(response: PromptResponse, remark: string | undefined): PromptResponse {
  return remark?.trim() ? { ...response, remark } : response;
}
