/** Free text that would run a script if a page took it for markup, with a mark that says where it was sent. */
export class MarkedMarkup {
  readonly #marks = new Set<string>();

  /** The text for a field; `short` for fields that take few characters. */
  text(field: string, { short = false } = {}): string {
    const mark = `x${this.#marks.size}x`;
    this.#names.set(mark, field);
    this.#marks.add(mark);
    return short
      ? `${mark}<img src=x onerror=pwned=1>`
      : `${mark}"'><img src=x onerror="window.pwned=1"><svg onload="window.pwned=1"></svg><script>window.pwned=1</script>`;
  }

  readonly #names = new Map<string, string>();

  /** The mark that a text begins with: it stays the same however the rest is quoted. */
  static markOf = (text: string): string => /^x\d+x/.exec(text)?.[0] ?? text;

  /** The fields whose text is in none of these texts. */
  unseen(shown: readonly string[]): string[] {
    const all = shown.join('\n');
    return [...this.#marks].filter((mark) => !all.includes(mark)).map((mark) => this.#names.get(mark) ?? mark);
  }
}

/** What a page has of it: scripts that ran, or elements that were made of the text. Empty if the page is sound. */
export const injected = `(() => {
  const found = [...document.querySelectorAll('[onerror], [onload], img[src="x"], a[href^="javascript:"], script:not([src])')];
  return [...(window.pwned === undefined ? [] : ['a script ran']), ...found.map(({ outerHTML }) => outerHTML.slice(0, 200))];
})()`;

/** Opens what is folded, such as the messages of a call. */
export const unfold = `document.querySelectorAll('details').forEach((each) => { each.open = true; })`;

/** Everything that is written on a page, and in its fields. */
export const writtenOn = `[
  document.body.innerText,
  ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
].join('\\n')`;
