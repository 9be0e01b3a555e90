import type { Document, ResourceObject } from '../../jsonapi/document-shape.ts';
import type { VersionedRequest, Versions } from '../../jsonapi/engine.ts';
import type { ErrorObject } from '../../jsonapi/errors.ts';
import { VERSION_HEADER } from '../../jsonapi/http.ts';
import { newPaths } from './2026-04-16/new-paths.ts';
import { to20260416 } from './2026-04-16.ts';
import type { Change, NewPath } from './change.ts';
import { keepFields } from './fieldsets.ts';

/**
 * Dated versions. The code speaks only the newest; every difference to an older one is a small change in a folder named
 * after the version that brought it. A request of an older version is upgraded through the changes after it, oldest
 * first; an answer is downgraded through the same changes, newest first.
 */
export const NEWEST_VERSION = '2026-04-16';

/** All versions ever served, oldest first, each with what it changed and what it brought. */
const HISTORY: readonly { version: string; changes: readonly Change[]; brought: readonly NewPath[] }[] = [
  { version: '2022-05-10', changes: [], brought: [] },
  { version: NEWEST_VERSION, changes: to20260416, brought: newPaths },
];

export const KNOWN_VERSIONS: readonly string[] = HISTORY.map(({ version }) => version);

/**
 * The version that serves a request: the one that any `X-<word>-Api-Version` header names, if this server knows it;
 * otherwise the customer's.
 */
export function chooseVersion(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  customers: string,
): string {
  for (const [name, value] of Object.entries(headers)) {
    if (!VERSION_HEADER.test(name) || typeof value !== 'string') continue;
    if (KNOWN_VERSIONS.includes(value)) return value;
  }
  return customers;
}

const changesAfter = (version: string): Change[] =>
  HISTORY.filter((entry) => entry.version > version).flatMap((entry) => entry.changes);

export const versions: Versions = {
  serves: (version, type, method) =>
    version === NEWEST_VERSION ||
    !HISTORY.filter((entry) => entry.version > version)
      .flatMap(({ brought }) => brought)
      .some((path) => path.type === type && (path.methods?.includes(method) ?? true)),
  request: (version, type, request) =>
    version === NEWEST_VERSION ? request : upgrade(changesAfter(version), type, request),
  response: (version, document, query = []) =>
    version === NEWEST_VERSION ? document : keepFields(downgrade(changesAfter(version).reverse(), document), query),
  errors: (version, problems) =>
    version === NEWEST_VERSION ? problems : problems.map((problem) => oldWords(changesAfter(version), problem)),
};

/** Sparse fieldsets may name any type; the rest of a change is about requests for its own type. */
function upgrade(changes: readonly Change[], type: string, request: VersionedRequest): VersionedRequest {
  let upgraded = request;
  for (const change of changes) {
    if (change.fieldsets) upgraded = { query: change.fieldsets(upgraded.query), body: upgraded.body };
    if (change.type === type && change.request) upgraded = change.request(upgraded);
  }
  return upgraded;
}

function downgrade(changes: readonly Change[], document: Document): Document {
  const change = (resource: ResourceObject): ResourceObject =>
    changes.reduce(
      (older, each) => (each.type === resource.type && each.response ? each.response(older) : older),
      resource,
    );
  const { data, included, links } = document;
  return {
    ...document,
    ...(links
      ? { links: mapValues(links, (link) => changes.reduce((older, { link }) => link?.(older) ?? older, link)) }
      : {}),
    ...(data ? { data: Array.isArray(data) ? data.map(change) : change(data) } : {}),
    ...(included ? { included: included.map(change) } : {}),
  };
}

const oldWords = (changes: readonly Change[], problem: ErrorObject): ErrorObject =>
  changes.reduceRight((older, { error }) => error?.(older) ?? older, problem);

const mapValues = (record: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
