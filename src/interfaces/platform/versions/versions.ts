/**
 * Dated API versions. The code knows only the newest; each difference to an older version is a small change in the
 * files named after the version that introduced it. A request in an older version is upgraded through all later
 * changes, oldest first; its response is downgraded through the same changes, newest first.
 */

import type { VersionedRequest, Versions } from '../../../engines/jsonapi/engine.ts';
import type { ErrorObject } from '../../../engines/jsonapi/errors.ts';
import type { Document, ResourceObject } from '../../../engines/jsonapi/linkage.ts';
import { didGroups } from './2026-04-16.did-groups.ts';
import { orders } from './2026-04-16.orders.ts';
import { regulation } from './2026-04-16.regulation.ts';
import { trunks } from './2026-04-16.trunks.ts';
import { type Change, capitalised, keepFields, type NewPath, otherWords, unshown } from './change.ts';

/** Export statuses were capitalised, and the response did not repeat the filters of an export. */
const exports: readonly Change[] = [
  otherWords('exports', 'status', capitalised(['pending', 'processing', 'completed'])),
  unshown('exports', { attributes: ['filters'] }),
];

const to20260416: readonly Change[] = [...didGroups, ...orders, ...exports, ...trunks, ...regulation];

/** Paths, or methods of existing paths, that older versions do not have: they respond with 404 there. */
const newPaths: readonly NewPath[] = [
  { type: 'did_history' },
  { type: 'emergency_requirements' },
  { type: 'emergency_requirement_validations' },
  { type: 'emergency_calling_services' },
  { type: 'emergency_verifications' },
  { type: 'orders', methods: ['PATCH', 'PUT'] },
  { type: 'exports', methods: ['PATCH', 'PUT'] },
  { type: 'address_verifications', methods: ['PATCH', 'PUT'] },
];

export const newestVersion = '2026-04-16';

/** All versions, oldest first, each with its changes and the paths it introduced. */
const history: readonly { version: string; changes: readonly Change[]; introduced: readonly NewPath[] }[] = [
  { version: '2022-05-10', changes: [], introduced: [] },
  { version: newestVersion, changes: to20260416, introduced: newPaths },
];

export const knownVersions: readonly string[] = history.map(({ version }) => version);

/** Whatever word it contains, such a header selects the version. */
export const isVersionHeader = (name: string): boolean => /^x-[a-z0-9_-]+-api-version$/i.test(name);

/** Returns the version named by any `X-<word>-Api-Version` header if this server knows it, otherwise the account's. */
export function chooseVersion(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  accountVersion: string,
): string {
  for (const name in headers) {
    if (!name.endsWith('-api-version') || !isVersionHeader(name)) continue;
    const value = headers[name];
    if (typeof value === 'string' && knownVersions.includes(value)) return value;
  }
  return accountVersion;
}

const changesAfter = (version: string): Change[] =>
  history.filter((entry) => entry.version > version).flatMap((entry) => entry.changes);

export const versions: Versions = {
  serves: (version, type, method) =>
    version === newestVersion ||
    !history
      .filter((entry) => entry.version > version)
      .flatMap(({ introduced }) => introduced)
      .some((path) => path.type === type && (path.methods?.includes(method) ?? true)),
  request: (version, type, request) =>
    version === newestVersion ? request : upgrade(changesAfter(version), type, request),
  response: (version, document, query = []) =>
    version === newestVersion ? document : keepFields(downgrade(changesAfter(version).reverse(), document), query),
  errors: (version, problems) =>
    version === newestVersion ? problems : problems.map((problem) => downgradeError(changesAfter(version), problem)),
};

/**
 * Sparse fieldsets may name any type, so every change sees them; `request` is called only for the change's own type.
 */
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

const downgradeError = (changes: readonly Change[], problem: ErrorObject): ErrorObject =>
  changes.reduceRight((older, { error }) => error?.(older) ?? older, problem);

const mapValues = (record: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
