/** An updated server no longer has the files of a page that was opened before, so the page is reloaded. */

/** Whether it is being reloaded. Afterwards it has the server's files, so this can't repeat. */
export async function reloadIfReplaced(): Promise<boolean> {
  const own = document.querySelector("script[type=module]")?.getAttribute("src");
  const served = await fetch("/", { cache: "no-store" }).then(async (response) => (response.ok ? await response.text() : null), () => null);
  if (!own || served === null || served.includes(own)) return false;
  location.reload();
  return true;
}
