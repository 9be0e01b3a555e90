/** Which API versions there are, and which of them serves a request. */

export const newestVersion = '2026-04-16';

/** Oldest first. */
export const knownVersions: readonly string[] = ['2017-09-18', '2021-04-19', '2021-12-15', '2022-05-10', newestVersion];

/** SQL: the version of an account `t`; until its first request fixes one, that is the newest. */
export const shownVersion = `coalesce(t.api_version, '${newestVersion}')`;

const known: ReadonlySet<string> = new Set(knownVersions);

/** Whatever word it contains, such a header selects the version. */
export const isVersionHeader = (name: string): boolean => /^x-[a-z0-9_-]+-api-version$/i.test(name);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Returns the version named by any `X-<word>-Api-Version` header if this server knows it, otherwise the account's. */
export function chooseVersion(headers: Headers, accountVersion: string): string {
  for (const name in headers) {
    if (!name.endsWith('-api-version') || !isVersionHeader(name)) continue;
    const value = headers[name];
    if (typeof value === 'string' && known.has(value)) return value;
  }
  return accountVersion;
}

/** What version headers name that this server does not know; null if there is nothing of that kind. */
export function ignoredVersions(headers: Headers): string | null {
  const ignored: string[] = [];
  for (const name in headers) {
    if (!name.endsWith('-api-version') || !isVersionHeader(name)) continue;
    const value = String(headers[name] ?? '');
    if (!known.has(value)) ignored.push(value.replace(/[^ -~]/g, '?').slice(0, 100));
  }
  return ignored.length === 0 ? null : ignored.join(', ');
}
