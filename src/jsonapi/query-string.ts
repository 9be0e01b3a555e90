import { ApiError, errors } from './errors.ts';

/** The parameters of a request as they were sent: brackets and commas may be percent-encoded or not. */
export type RawQuery = readonly (readonly [key: string, value: string])[];

export function readQueryString(url: string): RawQuery {
  const start = url.indexOf('?');
  if (start < 0 || start === url.length - 1) return [];
  const pairs = url
    .slice(start + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0
        ? ([decode(pair), ''] as const)
        : ([decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))] as const);
    });
  // Sent twice, the last one counts; so a page's links say what the page was made from.
  return [...new Map(pairs)];
}

/** The same parameters with another page, in alphabetical order and percent-encoded, as the pagination links have them. */
export function writePageQuery(raw: RawQuery, number: number, size: number): string {
  const kept = new Map(raw.filter(([key]) => key !== 'page[number]' && key !== 'page[size]'));
  kept.set('page[number]', String(number));
  kept.set('page[size]', String(size));
  return [...kept]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join('&');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError([errors.badRequest('The query string is not correctly percent-encoded.')]);
  }
}
