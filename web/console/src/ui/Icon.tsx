const PATHS = {
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  up: "M6 14l6-6 6 6",
  down: "M6 10l6 6 6-6",
  remove: "M6 6l12 12M18 6L6 18",
  grip: "M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01",
  wide: "M4 12h16M8 8l-4 4 4 4M16 8l4 4-4 4",
  narrow: "M3 12h7M14 12h7M7 8l4 4-4 4M17 8l-4 4 4 4",
  larger: "M12 6v12M6 12h12",
  smaller: "M6 12h12",
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  clip: "M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 4.8 4.8l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14.5 7.5",
  stop: "M7 7h10v10H7z",
  pause: "M9 6v12M15 6v12",
  play: "M8 5.5v13l10-6.5z",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  film: "M4 5h16v14H4zM8 5v14M16 5v14M4 9.5h4M4 14.5h4M16 9.5h4M16 14.5h4",
  side: "M4 5h16v14H4zM15 5v14",
  done: "M5 12.5l4.5 4.5L19 7.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  enlarge: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return <PathIcon path={PATHS[name]} />;
}

export function PathIcon({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}
