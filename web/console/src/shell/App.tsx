import { announcement, connection, page, session, texts } from "../store";
import { Boundary } from "../ui/Boundary";
import { PathIcon } from "../ui/Icon";
import { installed, pages } from "./installed";
import { Logo } from "./Logo";
import { SignIn } from "./SignIn";

/** On a phone the row of pages is longer than the screen. */
function keepInView(link: HTMLAnchorElement | null): void {
  if (link?.hasAttribute("aria-current")) link.scrollIntoView?.({ block: "nearest", inline: "nearest" });
}

/** While the server is asked who this is, the code of what will be shown is on its way already. */
export function prepare(name: string): void {
  const view = pages().find((one) => one.name === name)?.View;
  if (view && "prepare" in view) view.prepare();
}

export function App() {
  const t = texts.value;
  if (session.value === "signedOut") return <SignIn />;
  if (session.value === "unknown") return <main class="lonely"><p role="status">{connection.value === "offline" ? t.connection.offline : t.loading}</p></main>;
  const View = pages().find(({ name }) => name === page.value)!.View;
  const overlays = installed().flatMap((feature) => feature.overlays ?? []);
  return (
    <div class="app">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>{t.skip}</a>
      <nav class="rail" aria-label={t.navigation}>
        <div class="brand"><Logo /><b>handrail</b></div>
        {pages().map(({ name, icon, count }) => (
          <a key={name} ref={keepInView} href={`#/${name}`} class={name} aria-current={page.value === name ? "page" : undefined} title={t.pages[name]}>
            <PathIcon path={icon} />
            <span>{t.pages[name]}</span>
            {count && count() > 0 && <span class="rail-dot" aria-hidden="true">{count()}</span>}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1} key={page.value}>
        <Boundary><View /></Boundary>
      </main>
      {overlays.map(({ View: Overlay, isShown }, at) => (!isShown || isShown()) && <Boundary key={at}><Overlay /></Boundary>)}
      <div class="unseen" aria-live="polite" role="status">{announcement.value}</div>
    </div>
  );
}
