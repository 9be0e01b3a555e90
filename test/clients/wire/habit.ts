/** What a habit is: requests as bytes, and what comes back. And the requests that several habits send. */
import { type Head, type Piece, request } from './converse.ts';

/** What there is to ask for. */
export interface Ground {
  port: number;
  /** The headers that say who asks. */
  platform: Readonly<Record<string, string>>;
  verification: Readonly<Record<string, string>>;
  /** Those of a signed request. */
  signed(method: string, path: string, body?: Buffer): Record<string, string>;
  trunkId: string;
  /** A number that has a verification, without `+`. */
  destination: string;
}

interface Exchange {
  sends: (ground: Ground) => readonly Piece[];
  statuses: readonly number[];
  says?: string | RegExp;
  /** Where the connection goes. */
  to?: string;
}

export interface Habit {
  name: string;
  /** How each interface takes it, for docs/compatibility.md. */
  words: { platform: string; verification: string };
  platform: readonly Exchange[];
  verification: readonly Exchange[];
}

export const jsonApi = 'application/vnd.api+json';
export const json = 'application/json';
export const read = 'read';
export const balance = (more: Head = {}) => ({
  sends: ({ platform }: Ground) => [request('GET /v3/balance', { ...more, headers: { ...platform, ...more.headers } })],
  statuses: [200],
  says: '"balances"',
});
export const status = (more: Head = {}, path = 'by_number/') => ({
  sends: ({ verification, destination }: Ground) => [
    request(`GET /api/v1/verifications/${path}${destination}`, {
      ...more,
      headers: { ...verification, ...more.headers },
    }),
  ],
  statuses: [200],
  says: '"destination":"49',
});
export const list = (query: string, says: string | RegExp): Exchange => ({
  sends: ({ platform }) => [request(`GET /v3${query}`, { headers: platform })],
  statuses: [200],
  says,
});
export const nothing = '00000000-0000-4000-8000-000000000000';
