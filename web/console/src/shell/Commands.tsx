import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { prefer } from "../preferences";
import { language, texts } from "../store";
import { goTo } from "./address";
import { isCommandsOpen, isHelpOpen } from "./commands";
import { installed, pages } from "./installed";
import { project, projectName, projects } from "./projects";

interface Command {
  name: string;
  run: () => void;
}

/** All commands of the console, found by typing a part of the name. */
export function Commands() {
  const t = texts.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const query = words.trim().toLowerCase();
  const matches = commands().filter(({ name }) => name.toLowerCase().includes(query));

  useLayoutEffect(() => dialog.current?.showModal(), []); // not later: what is typed next belongs to the search

  function run(command: Command | undefined): void {
    if (!command) return;
    dialog.current?.close();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation();
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by) {
      event.preventDefault();
      setAt((at + by + matches.length) % Math.max(1, matches.length));
    }
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      run(matches[at]);
    }
  }

  return (
    <dialog ref={dialog} class="commands" aria-label={t.commands} onClose={() => (isCommandsOpen.value = false)} onKeyDown={onKeyDown} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="commands-found"
        aria-activedescendant={matches[at] && `command-${at}`}
        aria-label={t.commandHint}
        placeholder={t.commandHint}
        autocomplete="off"
        value={words}
        onInput={(event) => { setWords(event.currentTarget.value); setAt(0); }}
      />
      <div id="commands-found" role="listbox" aria-label={t.commands}>
        {matches.map((command, index) => (
          <div key={command.name} id={`command-${index}`} role="option" aria-selected={index === at} onMouseMove={() => setAt(index)} onClick={() => run(command)}>{command.name}</div>
        ))}
      </div>
      {matches.length === 0 && <p class="nothing">{t.noCommand}</p>}
    </dialog>
  );
}

function commands(): Command[] {
  const t = texts.value;
  return [
    ...pages().map(({ name }) => ({ name: t.openPage(t.pages[name]), run: () => goTo(name) })),
    ...installed().flatMap((feature) => feature.commands?.() ?? []),
    ...(projects.value.length > 1 ? [{ name: t.showProject(t.allProjects), run: () => void (project.value = "") }] : []),
    ...(projects.value.length > 1 ? projects.value.map(({ path }) => ({ name: t.showProject(projectName(path)), run: () => void (project.value = path) })) : []),
    { name: t.useTheme.light, run: () => prefer({ theme: "light" }) },
    { name: t.useTheme.dark, run: () => prefer({ theme: "dark" }) },
    { name: t.useTheme.auto, run: () => prefer({ theme: "auto" }) },
    { name: t.otherLanguage, run: () => prefer({ language: language.value === "zh" ? "en" : "zh" }) },
    { name: t.shortcuts, run: () => void (isHelpOpen.value = true) },
  ];
}

/** The keys that work on every page. */
export function Shortcuts() {
  const t = texts.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="shortcuts" aria-label={t.shortcuts} onClose={() => (isHelpOpen.value = false)} onKeyDown={(event) => event.stopPropagation()} onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <h2 tabIndex={-1}>{t.shortcuts}</h2>
      <dl class="keys">
        {t.keys.map(([keys, what]) => <div key={keys}><dt>{keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{what}</dd></div>)}
      </dl>
      <p class="row"><button type="button" class="plain" onClick={() => dialog.current?.close()}>{t.close}</button></p>
    </dialog>
  );
}
