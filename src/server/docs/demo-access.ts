/** The demo account in the API reference of a local start: its credentials filled in, and the ids of its own records. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Exchanges } from '../../openapi/examples.ts';
import { resources } from '../../platform/v3/resources.ts';

/** What the page may fill in. Only a server that no stranger can reach has it. */
export interface DemoAccess {
  readonly apiKey: string;
  readonly application: { readonly key: string; readonly secret: string } | null;
}

const LOOPBACK_ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Whether a request comes from a browser on this machine. A name in `Host` that is not loopback may be a stranger's page
 * that resolves to this machine; a forwarding header means that a proxy stands in front.
 */
export function isLocal(request: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const { headers, socket } = request;
  return (
    LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') &&
    LOOPBACK_NAME.test(headers.host ?? '') &&
    FORWARDED.every((name) => headers[name] === undefined)
  );
}

/** The credentials in the form the page's script takes. */
export function filledIn({ apiKey, application }: DemoAccess): object {
  return {
    preferredSecurityScheme: 'api_key',
    securitySchemes: {
      api_key: { value: apiKey },
      ...(application ? { otp_basic: { username: application.key, password: application.secret } } : {}),
    },
  };
}

/** Recorded ids of records that differ from server to server, replaced by ones that are there for the demo account. */
export async function withLiveIds(exchanges: Exchanges, app: FastifyInstance, apiKey: string): Promise<Exchanges> {
  const idsAt = async (url: string): Promise<string[]> => {
    const response = await app.inject({ url, headers: { 'api-key': apiKey } });
    return response.statusCode === 200 ? idsOf(response.json()) : [];
  };
  let text = JSON.stringify(exchanges);
  for (const [type, ids] of ownIds(exchanges)) {
    const newest = newestOf(type);
    const [live] = newest === null ? [] : await idsAt(newest);
    if (live !== undefined) for (const id of ids) text = text.replaceAll(id, live);
  }
  // Numbers are sold, so those that the same request finds now stand for those it found then.
  const [stock] = exchanges.list_available_dids ?? [];
  const inStock = stock ? await idsAt(`/v3/available_dids?${stock.query}`) : [];
  for (const [index, id] of idsOf(stock?.response ?? {}).entries()) text = text.replaceAll(id, inStock[index] ?? id);
  return JSON.parse(text);
}

function idsOf(document: unknown): string[] {
  const { data } = document as { data?: { id: string } | { id: string }[] };
  return [data ?? []].flat().map(({ id }) => id);
}

/** The request for the newest record of a type; null where it cannot be listed. */
function newestOf(type: string): string | null {
  const resource = resources.find((each) => each.type === type);
  if (!resource?.path || !(resource.endpoints.list || resource.singleton)) return null;
  const sort = 'created_at' in resource.sort ? '&sort=-created_at' : '';
  return `/v3${resource.path}?${resource.paginated ? `page[size]=1${sort}` : ''}`;
}

/** Types whose records each account has for itself. */
const OWN_TYPES = new Set(
  resources.filter(({ scope, stored }) => scope === 'account' && stored).map(({ type }) => type),
);

function ownIds(exchanges: Exchanges): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && 'id' in value && typeof value.type === 'string' && OWN_TYPES.has(value.type)) {
      found.set(value.type, (found.get(value.type) ?? new Set()).add(String(value.id)));
    }
    Object.values(value).forEach(visit);
  };
  visit(exchanges);
  return found;
}
