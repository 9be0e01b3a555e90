/**
 * Documents as text, written from rows that are the database's own text: nothing is parsed into values and nothing is
 * built as an object. `../document.ts` describes the same documents as objects, for what a write returns.
 */
import QuickLRU from 'quick-lru';
import { pageLinks } from '../document.ts';
import { featuresKey } from '../features.ts';
import type { Query } from '../query-string.ts';
import type { Fetched, Node } from '../related.ts';
import type { EngineContext, Resource } from '../resource.ts';
import type { RunText } from '../sql.ts';
import { columnTypesOf } from './column-types.ts';
import { compileResource, type WriteResource } from './resource-writer.ts';

/**
 * A document that is written already, in pieces. One name outside Latin-1 makes a whole text twice as large and several
 * times slower to encode, so the pieces are only put together as bytes.
 */
export class DocumentText {
  readonly #pieces: readonly string[];
  /** Of its text, in UTF-16 units. */
  readonly length: number;

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  }

  get text(): string {
    return this.#pieces.join('');
  }

  /** In UTF-8. */
  bytes(): Buffer {
    // Room for some letters of more than one byte; usually that is enough.
    let bytes = Buffer.allocUnsafeSlow(this.length + (this.length >> 5) + 64);
    let size = 0;
    for (const piece of this.#pieces) {
      if (size + 3 * piece.length > bytes.length) {
        const needed = size + Buffer.byteLength(piece);
        if (needed > bytes.length) bytes = Buffer.concat([bytes.subarray(0, size)], 2 * needed);
      }
      size += bytes.write(piece, size);
    }
    return bytes.subarray(0, size);
  }
}

export async function singleText(
  context: EngineContext,
  run: RunText,
  fetched: Fetched,
  query: Query,
  meta: Record<string, unknown> = {},
): Promise<DocumentText> {
  const write = await writers(context, run, fetched, query);
  const [node] = fetched.primary;
  const pieces = ['{"data":', node ? write(node) : 'null'];
  addIncluded(pieces, fetched, query, write);
  pieces.push(metaText({ ...meta, api_version: context.apiVersion }), '}');
  return new DocumentText(pieces);
}

export async function collectionText(
  context: EngineContext,
  run: RunText,
  path: string,
  fetched: Fetched,
  query: Query,
  total: number,
  meta: Record<string, unknown> = {},
): Promise<DocumentText> {
  const write = await writers(context, run, fetched, query);
  const about = metaText({ total_records: total, ...meta, api_version: context.apiVersion });
  const links = query.page
    ? `,"links":${JSON.stringify(pageLinks(`${context.baseUrl}${path}`, query, query.page, total))}`
    : '';
  const pieces = ['{"data":'];
  addArray(pieces, fetched.primary, write);
  addIncluded(pieces, fetched, query, write);
  pieces.push(about, links, '}');
  return new DocumentText(pieces);
}

const metaText = (meta: Record<string, unknown>): string => `,"meta":${JSON.stringify(meta)}`;

function addIncluded(pieces: string[], fetched: Fetched, query: Query, write: WriteResource): void {
  if (!query.include) return;
  pieces.push(',"included":');
  addArray(pieces, fetched.included, write);
}

function addArray(pieces: string[], nodes: readonly Node[], write: WriteResource): void {
  let before = '[';
  for (const node of nodes) {
    pieces.push(before, write(node));
    before = ',';
  }
  pieces.push(nodes.length === 0 ? '[]' : ']');
}

/** One writer per type that is in the document. */
async function writers(context: EngineContext, run: RunText, fetched: Fetched, query: Query): Promise<WriteResource> {
  const resources = new Set<Resource>();
  for (const { resource } of fetched.primary) resources.add(resource);
  for (const { resource } of fetched.included) resources.add(resource);
  const byType = new Map<Resource, WriteResource>();
  for (const resource of resources) {
    byType.set(resource, await plansOf(run).writer(context, run, resource, query));
  }
  return (node) => {
    const write = byType.get(node.resource);
    if (!write) throw new Error(`${node.resource.type} has no writer`);
    return write(node);
  };
}

/** The most writers that are kept; a client may ask for any number of shapes. */
const mostWriters = 1_000;

/**
 * Writers by shape: the fields of the type, the features of the caller, whether it sees secrets, and the address in
 * links.
 */
class Plans {
  readonly #writers = new QuickLRU<string, WriteResource>({ maxSize: mostWriters });
  readonly #numbers = new WeakMap<Resource, number>();
  #resources = 0;

  async writer(context: EngineContext, run: RunText, resource: Resource, query: Query): Promise<WriteResource> {
    const fields = query.fields.get(resource.type);
    const { baseUrl, features: named, hidesSecrets = false } = context;
    const key = `${this.#numberOf(resource)} ${fields ? [...fields].join() : '*'} ${featuresKey(context)} ${hidesSecrets} ${context.baseUrl}`;
    const known = this.#writers.get(key);
    if (known) return known;
    const types = await columnTypesOf(context, run, resource);
    // Not the context itself: a writer outlives the request, and must not keep the environment of a world that has
    // ended.
    const viewer = { baseUrl, hidesSecrets, ...(named && { features: named }) };
    const made = compileResource(viewer, resource, types, run.parse, query);
    this.#writers.set(key, made);
    return made;
  }

  /** Two products may have types of the same name. */
  #numberOf(resource: Resource): number {
    const known = this.#numbers.get(resource);
    if (known !== undefined) return known;
    this.#resources += 1;
    this.#numbers.set(resource, this.#resources);
    return this.#resources;
  }
}

/**
 * They end with what runs their statements: links have the address of a world, and a process may serve any number of
 * worlds.
 */
const plans = new WeakMap<RunText, Plans>();

function plansOf(run: RunText): Plans {
  const known = plans.get(run) ?? new Plans();
  plans.set(run, known);
  return known;
}
