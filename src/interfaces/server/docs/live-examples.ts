/**
 * The examples of the API reference on a local start: the recorded ids, numbers and keys are replaced by those of the
 * demo account, chosen so that each request succeeds when it is sent.
 */
import type { FastifyInstance } from 'fastify';
import { uuidsWithin } from '../../../base/uuid.ts';
import type { Exchange, Exchanges } from '../../../engines/openapi/examples.ts';
import { fingerprintOf } from '../../platform/identities/key-pairs.ts';
import { resources } from '../../platform/v3/resources.ts';
import type { DemoAccess } from './demo-access.ts';

/** By these the examples find records of the demo account; `src/run/boot/demo-papers.ts` makes them. */
export const demoReferences = { person: 'demo-person', berlin: 'demo-berlin', newYork: 'demo-new-york' } as const;

/**
 * The sandbox sends this number the code 123456, so that examples can report it. Another one than the example that
 * starts.
 */
export const knownCodeNumber = '447700900911';

/**
 * Which record stands for a type: the newest that matches a query of its list. `{GB}` stands for the id of that
 * country.
 */
type Choices = Readonly<Record<string, string>>;

const usualChoices = {
  capacity_pools: 'filter[country.id]={GB}',
  dids: 'filter[country.id]={GB}',
} satisfies Choices;

const person = `filter[external_reference_id]=${demoReferences.person}`;
const berlin = `filter[external_reference_id]=${demoReferences.berlin}`;
const newYork = `filter[external_reference_id]=${demoReferences.newYork}`;
const underReview = 'filter[status]=pending';

/** By the id of the operation. */
const choicesOf: Readonly<Record<string, Choices>> = {
  delete_orders: { orders: 'filter[status]=pending' },
  create_address_requirement_validations: { identities: person, addresses: berlin },
  create_address_verifications: {
    addresses: berlin,
    dids: 'filter[country.id]={DE}&filter[awaiting_registration]=true&filter[address_verification.id]=',
  },
  decide_address_verifications: { address_verifications: underReview },
  create_emergency_requirement_validations: { identities: person, addresses: newYork },
  create_emergency_verifications: {
    addresses: newYork,
    dids: 'filter[country.id]={US}&filter[emergency_enabled]=false',
  },
  delete_emergency_calling_services: { emergency_calling_services: 'filter[status]=pending_update' },
  decide_emergency_verifications: { emergency_verifications: underReview },
};

/** The sandbox calls this number, so that examples can listen to a call. */
export const calledNumber = '447700900913';

export async function withLiveRecords(
  exchanges: Exchanges,
  app: FastifyInstance,
  demo: DemoAccess,
): Promise<Exchanges> {
  const server = liveServer(app, demo);
  const everywhere = await replacementsEverywhere(exchanges, server);
  const typeOf = ownIds(exchanges);
  const changed: Record<string, readonly Exchange[]> = {};
  for (const [operation, list] of Object.entries(exchanges)) {
    let text = JSON.stringify(list);
    for (const [from, to] of everywhere) text = text.replaceAll(from, to);
    const choices: Choices = { ...usualChoices, ...choicesOf[operation] };
    const live = new Map<string, string>();
    for (const type of new Set(text.match(uuidsWithin)?.flatMap((id) => typeOf.get(id) ?? []))) {
      const record = (await server.newest(type, choices[type] ?? '')) ?? (await server.newest(type, ''));
      if (record !== undefined) live.set(type, record.id);
    }
    changed[operation] = JSON.parse(text.replace(uuidsWithin, (id) => live.get(typeOf.get(id) ?? '') ?? id));
  }
  const call = await server.newestCall();
  const listen = changed.read_message_audio ?? [];
  if (call !== undefined) {
    changed.read_message_audio = listen.map((each) => (each.status === 200 ? { ...each, path: { id: call } } : each));
  }
  return changed;
}

type LiveServer = ReturnType<typeof liveServer>;

/** Reads the demo account's records, without a network. */
function liveServer(app: FastifyInstance, { apiKey, application }: DemoAccess) {
  const { key, secret } = application ?? { key: '', secret: '' };
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
  const records = async (url: string): Promise<LiveRecord[]> => {
    const headers = url.startsWith('/api/') ? { authorization } : { 'api-key': apiKey };
    const response = await app.inject({ url, headers });
    return response.statusCode === 200 ? recordsIn(response.json()) : [];
  };
  const newest = async (type: string, query: string): Promise<LiveRecord | undefined> => {
    const url = listOf(type, query);
    const [placeholder = '', iso] = /\{(\w\w)\}/.exec(url ?? '') ?? [];
    const [country] = iso === undefined ? [] : await records(`/v3/countries?filter[iso]=${iso}`);
    return url === null ? undefined : (await records(url.replace(placeholder, country?.id ?? '')))[0];
  };
  const found = new Map<string, Promise<LiveRecord | undefined>>();
  return {
    records,
    /** The id of the newest message in the sandbox's inbox that is a call. */
    newestCall: async (): Promise<string | undefined> => {
      const url = `/sandbox/v1/messages?destination=${calledNumber}`;
      const response = await app.inject({ url, headers: { 'api-key': apiKey } });
      return response.statusCode === 200 ? response.json().messages[0]?.id : undefined;
    },
    /** The newest record of a type that matches a query; each is asked for once. */
    newest: (type: string, query: string): Promise<LiveRecord | undefined> => {
      const known = found.get(`${type}?${query}`) ?? newest(type, query);
      found.set(`${type}?${query}`, known);
      return known;
    },
  };
}

interface LiveRecord {
  readonly id: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

function recordsIn(document: unknown): LiveRecord[] {
  const { data } = Object(document) as { data?: LiveRecord | LiveRecord[] };
  return [data ?? []].flat();
}

/** The request for the newest record of a type that matches a query; null where the type cannot be listed. */
function listOf(type: string, query: string): string | null {
  const resource = resources.find((each) => each.type === type);
  if (!resource?.path || !(resource.endpoints.list || resource.singleton)) return null;
  const byAge = ['created_at', 'expires_at'].find((key) => key in resource.sort);
  const page = resource.paginated ? [`page[size]=1${byAge ? `&sort=-${byAge}` : ''}`] : [];
  return `/v3${resource.path}?${[...page, query].filter(Boolean).join('&')}`;
}

/** Pairs of a recorded text and the one that stands for it in every operation. */
async function replacementsEverywhere(exchanges: Exchanges, server: LiveServer): Promise<[string, string][]> {
  const [stock] = exchanges.list_available_dids ?? [];
  const [upload] = exchanges.create_encrypted_files ?? [];
  const [verification] = exchanges.read_verification_by_number ?? [];
  const [download] = exchanges.download_export ?? [];
  const [number] = exchanges.read_dids ?? [];
  const pairs: (readonly [recorded: unknown, live: unknown])[] = [
    // Numbers are sold, so those that the same request finds now stand for those it found when it was recorded.
    ...zip(recordsIn(stock?.response), stock ? await server.records(`/v3/available_dids?${stock.query}`) : []),
    ...zip(recordsIn(verification?.response), await server.records(verificationOf(verification))),
    [
      recordsIn(number?.response)[0]?.attributes?.number,
      (await server.newest('dids', usualChoices.dids))?.attributes?.number,
    ],
    [fingerprintsIn(upload?.request), await fingerprintsOf(server)],
    [download?.path.filename, await exportFile(server)],
  ];
  return pairs.filter((pair): pair is [string, string] =>
    pair.every((each) => typeof each === 'string' && each !== ''),
  );
}

const zip = (recorded: readonly LiveRecord[], live: readonly LiveRecord[]) =>
  recorded.map(({ id }, index) => [id, live[index]?.id] as const);

const verificationOf = (recorded: Exchange | undefined) =>
  `/api/v1/verifications/by_number/${recorded?.path.number ?? knownCodeNumber}`;

const fingerprintsIn = (form: unknown): unknown =>
  typeof form === 'object' && form !== null && 'encrypted_files[encryption_fingerprint]' in form
    ? form['encrypted_files[encryption_fingerprint]']
    : undefined;

async function fingerprintsOf(server: LiveServer): Promise<string> {
  const keys = await server.records('/v3/public_keys');
  return keys.map(({ attributes }) => fingerprintOf(String(attributes?.key))).join(':::');
}

/** The name of the newest finished export's file, as its URL has it. */
async function exportFile(server: LiveServer): Promise<string | undefined> {
  const newest = await server.records('/v3/exports?page[size]=10&sort=-created_at');
  const urls = newest.map(({ attributes }) => String(attributes?.url));
  return urls.map((url) => /([^/]+)\.csv\.gz$/.exec(url)?.[1]).find((name) => name !== undefined);
}

/** Types whose records each account has for itself. */
const ownTypes = new Set(
  resources.filter(({ scope, stored }) => scope === 'account' && stored).map(({ type }) => type),
);

/** The types of the recorded records, by id. */
function ownIds(exchanges: Exchanges): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('type' in value && 'id' in value && typeof value.type === 'string' && ownTypes.has(value.type)) {
      found.set(String(value.id), value.type);
    }
    Object.values(value).forEach(visit);
  };
  visit(exchanges);
  return found;
}
