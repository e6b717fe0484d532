import type { PromptResponse, RequestEntry } from "@handrail/host";
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { later } from "../actions/panel";
import { respond } from "../actions/prompts";
import { isCovered, isTyping } from "../../../logic/keys";
import { presenceNeed, type PresenceNeed } from "../../../logic/presence";
import { fieldErrorsOf, messageOf } from "../../../shell/failure";
import { visible } from "../../../logic/visible";
import { isPanelOpen } from "../store";
import { texts } from "../../../store";
import { PresenceCheck } from "../../../ui/PresenceCheck";
import { Scroller } from "../../../ui/Scroller";
import { Visible } from "../../../ui/Visible";

/** A conversation in which a question stands. */
interface Place {
  /** Whether the agent has just said the very same there. */
  isTold: (message: string) => boolean;
}

/** Given where a question stands in a conversation, beside the panel that has it as well: keys then count inside of it alone. */
export const InPlace = createContext<Place | null>(null);

/** How far a yes reaches. */
export type Reach = Pick<PromptResponse, "scope" | "covers" | "grant">;

/** How long a prompt that has just appeared ignores answers: nobody reads faster, and a second click was meant for the one before. */
const ARMING_MS = 400;
/** There the two answers come first, and everything else on demand. */
const NARROW = "(max-width: 760px)";

interface AnswerFormProps {
  request: RequestEntry;
  isShown: boolean;
  /** Absent where it can only be canceled. */
  yes?: string;
  no: string;
  /** A yes that reaches further than once, as it was chosen; null while it is once. Keys always say once. */
  wider?: { reach: Reach | null; yes: string } | null;
  /** Where that is chosen. */
  menu?: ComponentChildren;
  /** Below everything: what identifies the question. */
  details?: ComponentChildren;
  /** What a yes would be for can't be seen: it is never what a key or the first button says. */
  isUnseen?: boolean;
  /** To be read and put away: there is nothing to say no to. */
  isNews?: boolean;
  /** What is sent with the answer; absent where the kind has no remark. */
  remark?: { value: string; set: (text: string) => void };
  /** The answer, or null when something is still wrong with it. */
  collect: () => PromptResponse | null;
  /** Called once the answer is on its way. */
  onSending?: () => void;
  /** Shows what it can at the fields that are named, and tells which those are. */
  onFieldErrors?: (errors: ReadonlyMap<string, string>) => readonly string[];
  /** In place of the message as it stands. */
  message?: ComponentChildren;
  children?: ComponentChildren;
}

/** The frame of every kind: what is asked, scrolling; the answers below it, always in sight. */
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
  const canCancel = request.prompt.allowCancel !== false && !isNews;

  useEffect(() => {
    setIsArmed(false);
    if (!isShown || !(isInPlace || isPanelOpen.value)) return;
    const arming = setTimeout(() => setIsArmed(true), ARMING_MS);
    return () => clearTimeout(arming);
  }, [isShown, isPanelOpen.value]);

  async function send(response: PromptResponse | null): Promise<void> {
    if (isSending || !isArmed) return;
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
      const shown = new Set([...(onFieldErrors?.(errors) ?? []), ...(remark ? ["remark"] : [])]);
      setRemarkProblem(remark && errors.get("remark"));
      setError(errors.size && [...errors.keys()].every((field) => shown.has(field)) ? t.refusedFields : messageOf(failure));
      focusProblem();
    } finally {
      setIsSending(false);
    }
  }

  /** The same answer once more, with the proof for it, and the remark as it is by then: no proof is bound to that. */
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
  /** As far as the button says. */
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
        {isMoreOpen && remark && (
          <input
            value={remark.value}
            readOnly={isSending}
            aria-invalid={remarkProblem !== undefined}
            aria-describedby={remarkProblem && remarkProblemId}
            onInput={(event) => remark.set(event.currentTarget.value)}
            onKeyDown={(event) => {
              // Enter in the remark must not say yes: the remark may be the reason for a no.
              if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
            }}
            placeholder={t.remarkHint}
            aria-label={t.remark}
            autocomplete="off"
          />
        )}
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
