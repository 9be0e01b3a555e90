/** What every page of the documentation has around its text: search, the list of pages, what is on this one. */
import { type Html, html } from './html.ts';
import type { Heading } from './markdown.ts';

interface PageLink {
  title: string;
  /** Relative to the folder of the documentation, `guides/errors`; empty for its first page. */
  path: string;
}

export interface Frame {
  /** "Trunkline", or what the operator calls it. */
  name: string;
  /** "Sandbox", "Production", "Operators". */
  audience: string;
  guides: readonly PageLink[];
  groups: readonly PageLink[];
  /** Of `/v3`: all that there are, newest first, and the one that is shown; none where there are no versions. */
  versions: readonly string[];
  version: string | null;
  /** Where the panel is, relative to the folder that the documentation is in. */
  home: string;
  /** Changes when the files of every page do, so that a browser may keep them. */
  assets: string;
}

export interface Page extends PageLink {
  lead: Html | null;
  body: Html;
  headings: readonly Heading[];
  /** What the page's script may fill in; null on a server that strangers reach. */
  access: Readonly<Record<string, string>> | null;
}

/** From a page to `docs/`: addresses are relative, so that a path prefix of a proxy does not matter. */
const upFrom = (path: string): string => (path === '' ? 'docs/' : '../'.repeat(path.split('/').length - 1));

export function framed(frame: Frame, page: Page): string {
  const up = upFrom(page.path);
  const query = frame.version === null || frame.version === frame.versions[0] ? '' : `?version=${frame.version}`;
  const root = page.path === '' ? 'docs' : `${up}../docs`;
  const to = ({ path, title }: PageLink, current = path === page.path) =>
    html`<li><a href="${
      path === '' ? root : `${up}${path}`
    }${query}"${current ? html` aria-current="page"` : null}>${title}</a></li>`;
  const all = [{ title: 'Overview', path: '' }, ...frame.guides, ...frame.groups];
  const place = all.findIndex(({ path }) => path === page.path);
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${page.title} · ${frame.name}</title>
<link rel="stylesheet" href="${up}assets/${frame.assets}/docs.css">
<script type="module" src="${up}assets/${frame.assets}/docs.js"></script>
</head>
<body data-up="${up}" data-query="${query}" data-root="${rootOf(frame, up)}"${page.access === null ? null : html` data-access="${JSON.stringify(page.access)}"`}>
<a class="skip" href="#text">Skip to the text</a>
<header>
<button class="menu" type="button" aria-expanded="false" aria-controls="pages">Menu</button>
<a class="brand" href="${root}${query}">${frame.name} <span>docs</span></a>
<span class="audience" data-audience="${frame.audience}">${frame.audience}</span>
<button class="find" type="button"><span>Search</span><kbd>/</kbd></button>
${frame.versions.length === 0 ? null : versionMenu(frame)}
<a class="home" href="${rootOf(frame, up)}">Panel</a>
</header>
<div class="columns">
<nav id="pages" class="pages" aria-label="Pages">
<ul>${to({ title: 'Overview', path: '' })}</ul>
${frame.guides.length === 0 ? null : html`<h2>Guides</h2><ul>${frame.guides.map((link) => to(link))}</ul>`}
<h2>Reference</h2><ul>${frame.groups.map((link) => to(link))}</ul>
</nav>
<main id="text" tabindex="-1">
<article>
<h1>${page.title}</h1>
${page.lead}
${page.body}
</article>
<nav class="next" aria-label="Next and previous">${neighbour(to, all[place - 1], 'Previous')}${neighbour(to, all[place + 1], 'Next')}</nav>
</main>
${page.headings.length < 2 ? null : contents(page.headings)}
</div>
<dialog class="search" aria-label="Search"><input type="search" placeholder="Search guides and reference" aria-label="Search" autocomplete="off" spellcheck="false"><ol role="listbox" aria-label="Found"></ol><p class="hint"></p></dialog>
</body>
</html>
`;
  return text;
}

/** The root of the server, where the panel is and all addresses begin. */
const rootOf = ({ home }: Frame, up: string): string => `${up}../${home}`;

const versionMenu = ({ versions, version }: Frame): Html =>
  html`<label class="version">Version <select>${versions.map(
    (each) => html`<option${each === version ? html` selected` : null}>${each}</option>`,
  )}</select></label>`;

const neighbour = (to: (link: PageLink) => Html, link: PageLink | undefined, word: string): Html =>
  link === undefined ? html`<span></span>` : html`<ul data-word="${word}">${to(link)}</ul>`;

const contents = (headings: readonly Heading[]): Html =>
  html`<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${headings
    .filter(({ level }) => level === 2 || level === 3)
    .map(({ level, id, title }) => html`<li class="level-${level}"><a href="#${id}">${title}</a></li>`)}</ul></nav>`;
