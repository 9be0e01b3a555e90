/** All pages of the documentation of one interface, made from its OpenAPI document and the guides. */
import type { Method, OpenApiDocument, Tag } from '../../../engines/openapi/types.ts';
import { type Frame, framed, type Page } from './frame.ts';
import { type Html, html, slug } from './html.ts';
import { type Heading, line, markdown } from './markdown.ts';
import { operationSection, type PlacedOperation, sentRequest } from './operation.ts';
import { members, type Reader } from './schema.ts';
import { type Found, foundInGuide, foundInOperation } from './search-index.ts';

interface Guide {
  name: string;
  text: string;
}

export interface SiteOptions extends Omit<Frame, 'guides' | 'groups'> {
  guides: readonly Guide[];
  access: Page['access'];
}

export interface Site {
  /** The page at a path below `docs/`; null if there is none. */
  page(path: string): string | null;
  /** What the search looks through. */
  search(): readonly Found[];
}

interface Group extends Tag {
  path: string;
  operations: readonly PlacedOperation[];
}

export function siteOf(document: OpenApiDocument, { guides, access, ...options }: SiteOptions): Site {
  const groups = groupsOf(document);
  const frame: Frame = {
    ...options,
    guides: guides.map(({ name, text }) => ({ path: `guides/${name}`, title: titleOf(text) })),
    groups: groups.map(({ name, path }) => ({ path, title: name })),
  };
  const records = recordsOf(document, groups);
  const readerFor = (current: string): Reader => ({
    document,
    placeOf: (type) => {
      const path = records.get(type);
      if (path === undefined) return null;
      return path === current
        ? `#record-${type}`
        : `${path.replace('reference/', '')}${versionQuery(frame)}#record-${type}`;
    },
  });
  const show = (page: Omit<Page, 'access'>) => framed(frame, { ...page, access });
  const makers = new Map<string, () => string>([
    ['', () => show(overview(document, frame))],
    ...guides.map(({ name, text }): [string, () => string] => [`guides/${name}`, () => show(guidePage(name, text))]),
    ...groups.map((group): [string, () => string] => [
      group.path,
      () => show(groupPage(readerFor(group.path), group, typesAt(records, group.path))),
    ]),
  ]);
  return {
    page: (path) => makers.get(path)?.() ?? null,
    search: () => [
      ...guides.flatMap(({ name, text }) => foundInGuide(`guides/${name}`, titleOf(text), text)),
      ...groups.flatMap(({ name, path, operations }) =>
        operations.map((each) => foundInOperation(document, path, name, each)),
      ),
    ],
  };
}

const titleOf = (guide: string): string => /^# (.*)$/m.exec(guide)?.[1] ?? '';

function guidePage(name: string, text: string): Omit<Page, 'access'> {
  const { html: body, headings } = markdown(text.replace(/^# .*\n+/, ''));
  return { title: titleOf(text), path: `guides/${name}`, lead: null, body, headings };
}

function groupsOf({ tags, paths, webhooks = {} }: OpenApiDocument): Group[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): PlacedOperation => ({ method: method as Method, path, operation })),
  );
  const sent = new Set(Object.values(webhooks).flatMap((item) => Object.values(item).flatMap((each) => each.tags)));
  return tags
    .map((tag) => ({
      ...tag,
      path: `reference/${slug(tag.name)}`,
      operations: all.filter(({ operation }) => operation.tags[0] === tag.name),
    }))
    .filter(({ name, operations }) => operations.length > 0 || sent.has(name));
}

/** Each type's record stands on the page whose operations return it first. */
function recordsOf({ components }: OpenApiDocument, groups: readonly Group[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const { path, operations } of groups)
    for (const { operation } of operations) {
      const [type] = operation.operationId.match(/(?<=^(list|get|read|create)_).*/) ?? [];
      if (type !== undefined && components.schemas?.[`${type}_attributes`] !== undefined && !places.has(type))
        places.set(type, path);
    }
  return places;
}

const typesAt = (records: ReadonlyMap<string, string>, path: string): string[] =>
  [...records].filter(([, place]) => place === path).map(([type]) => type);

function groupPage(reader: Reader, group: Group, types: readonly string[]): Omit<Page, 'access'> {
  const intro = markdown(group.description ?? '');
  const { webhooks = {} } = reader.document;
  const sent = Object.values(webhooks)
    .flatMap((item) => Object.entries(item))
    .filter(([, { tags }]) => tags.includes(group.name));
  const operations = group.operations.map(
    ({ operation }): Heading => ({
      level: 2,
      title: operation.summary,
      id: operation.operationId,
    }),
  );
  return {
    title: group.name,
    path: group.path,
    lead: html`<div class="lead">${intro.html}</div>`,
    body: html`${types.map((type) => recordSection(reader, type))}${sent.map(([method, each]) => sentRequest(reader, method, each))}${group.operations.map(
      (each) => operationSection(reader, each),
    )}`,
    headings: [
      ...intro.headings,
      ...types.map((type) => ({ level: 2, title: `The record ${type}`, id: `record-${type}` })),
      ...operations,
    ],
  };
}

function recordSection(reader: Reader, type: string): Html {
  const part = (name: string) => members(reader, { $ref: `#/components/schemas/${type}_${name}` });
  const relationships = Object.keys(reader.document.components.schemas?.[`${type}_relationships`]?.properties ?? {});
  return html`<section class="record"><details id="record-${type}"><summary><h2>The record <code>${type}</code></h2></summary>
<h3>Attributes</h3>${part('attributes')}${
    relationships.length === 0
      ? null
      : html`<h3>Relationships</h3><p>${relationships.map((name) => html`<code>${name}</code> `)}</p>`
  }</details></section>
`;
}

function overview({ info, servers }: OpenApiDocument, frame: Frame): Omit<Page, 'access'> {
  const cards = (links: Frame['guides']) =>
    html`<ul class="cards">${links.map(({ path, title }) => html`<li><a href="docs/${path}${versionQuery(frame)}">${title}</a></li>`)}</ul>`;
  const [server] = servers;
  return {
    title: info.title,
    path: '',
    lead: html`<div class="lead">${markdown((info.description ?? '').split('\n## ')[0] ?? '').html}</div>`,
    body: html`<p>This server: <code>${server?.url ?? ''}</code>, ${line(server?.description ?? '')}.</p>
${frame.guides.length === 0 ? null : html`<h2 id="guides">Guides</h2>${cards(frame.guides)}`}
<h2 id="reference">Reference</h2>${cards(frame.groups)}`,
    headings: [],
  };
}

const versionQuery = ({ versions, version }: Pick<Frame, 'versions' | 'version'>): string =>
  version === null || version === versions[0] ? '' : `?version=${version}`;
