/** The same as web/theme/logo.svg, in the page's own colours. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" role="img" aria-label="handrail">
      <path d="M3 20C11 20 12 8 29 8M9 19v9M17 14v14M25 9v19" />
    </svg>
  );
}
