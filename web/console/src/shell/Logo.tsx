export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" role="img" aria-label="handrail">
      <path class="posts" d="M8 22v6M16 13v15M24 9v19" />
      <path class="bar" d="M4 22C10 22 10 12 16 12s6-4 12-4" />
    </svg>
  );
}
