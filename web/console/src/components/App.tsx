import { announcement, connection, filmed, page, PAGES, session, texts, waiting, type Page } from "../store";
import { Activity } from "./Activity";
import { Boundary } from "./Boundary";
import { Browser } from "./browser/Browser";
import { Desktop } from "./desktop/Desktop";
import { Icon } from "./Icon";
import { lazily } from "./Lazy";
import { Panel } from "./Panel";
import { Prompts } from "./Prompts";
import { Settings } from "./Settings";
import { SignIn } from "./SignIn";
import { Tools } from "./Tools";

const Apps = lazily(async () => (await import("./apps/Apps")).Apps);
const Chat = lazily(async () => (await import("./chat/Chat")).Chat);
const Film = lazily(async () => (await import("./chat/Film")).Film);
const WebGal = lazily(async () => (await import("./webgal/WebGal")).WebGal);
const VIEWS = { chat: Chat, activity: Activity, prompts: Prompts, browser: Browser, desktop: Desktop, apps: Apps, webgal: WebGal, tools: Tools, settings: Settings };

/** While the server is asked who this is, the code of what will be shown is on its way already. */
export function prepare(name: Page): void {
  const view = VIEWS[name];
  if ("prepare" in view) view.prepare();
}

export function App() {
  const t = texts.value;
  if (session.value === "signedOut") return <SignIn />;
  if (session.value === "unknown") return <main class="lonely"><p role="status">{connection.value === "offline" ? t.connection.offline : t.loading}</p></main>;
  const View = VIEWS[page.value];
  return (
    <div class="app">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>{t.skip}</a>
      <nav class="rail" aria-label={t.navigation}>
        <Logo />
        {PAGES.map((name) => (
          <a key={name} href={`#/${name}`} class={name} aria-current={page.value === name ? "page" : undefined} title={t.pages[name]}>
            <Icon name={name} />
            <span>{t.pages[name]}</span>
            {name === "prompts" && waiting.value > 0 && <span class="rail-dot" aria-hidden="true" />}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1} key={page.value}>
        <Boundary><View /></Boundary>
      </main>
      {filmed.value !== null && <Boundary><Film /></Boundary>}
      <Boundary><Panel /></Boundary>
      <div class="unseen" aria-live="polite" role="status">{announcement.value}</div>
    </div>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" role="img" aria-label="handrail">
      <path class="posts" d="M8 22v6M16 13v15M24 9v19" />
      <path class="bar" d="M4 22C10 22 10 12 16 12s6-4 12-4" />
    </svg>
  );
}
