/**
 * Responses of reference data, kept as bytes: data that changes with the catalogue only. Every request compares the
 * version of the reference data first, so the first request after a commit gets what was committed, in every process.
 * By hand: `@fastify/compress` compresses every answer anew.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { chooseEncoding } from './accept-encoding.ts';
import type { RawQuery } from './query-string.ts';
import type { Registry, Resource } from './resource.ts';

/** A response body and the headers that depend on it. */
export interface Body {
  bytes: Buffer;
  etag: string;
}

export interface ReadyBody extends Body {
  /** The version of the reference data that was current before it was made. */
  readonly version: string;
  /** Encoding → the compressed bytes, made when they are asked for first. */
  readonly compressed: Map<Encoding, Promise<Buffer>>;
}

/** The best first; a client that accepts several equally gets the first of them. */
const encodings = ['br', 'zstd', 'gzip'] as const;
type Encoding = (typeof encodings)[number];

const compressors: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (bytes) => promisify(zstdCompress)(bytes),
  gzip: (bytes) => promisify(gzip)(bytes),
};

/** Smaller responses fit into one packet anyway. */
const leastCompressed = 1_400;
/** Bytes of all responses together, and of one. */
const mostBytes = 16 * 1024 * 1024;
const largestKept = 2 * 1024 * 1024;

/** Keeps the responses that were asked for last, up to a number of bytes. */
export class ReadyResponses {
  readonly #kept = new Map<string, ReadyBody>();
  readonly #most: number;
  #bytes = 0;

  constructor(most = mostBytes) {
    this.#most = most;
  }

  get(key: string, version: string): ReadyBody | null {
    const found = this.#kept.get(key);
    if (found === undefined) return null;
    this.#kept.delete(key);
    if (found.version === version) this.#kept.set(key, found);
    else this.#bytes -= sizeOf(key, found);
    return found.version === version ? found : null;
  }

  /** Returns the body in the form in which it was kept, also if it is too large to be kept. */
  keep(key: string, version: string, body: Body): ReadyBody {
    const ready = { ...body, version, compressed: new Map() };
    const size = sizeOf(key, ready);
    if (size > Math.min(largestKept, this.#most)) return ready;
    const before = this.#kept.get(key);
    if (before) this.#bytes -= sizeOf(key, before);
    this.#kept.delete(key);
    this.#kept.set(key, ready);
    this.#bytes += size;
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes <= this.#most) break;
      this.#kept.delete(oldest);
      this.#bytes -= sizeOf(oldest, old);
    }
    return ready;
  }

  /** What is kept, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }
}

/** Twice its bytes: the compressed forms together are smaller than they. */
const sizeOf = (key: string, { bytes }: Body): number => 2 * bytes.length + 2 * key.length + 200;

/** The body in the best encoding that the client accepts; null as encoding stands for the plain bytes. */
export async function encoded(
  ready: ReadyBody,
  acceptEncoding: string | undefined,
): Promise<{ bytes: Buffer; encoding: Encoding | null }> {
  const encoding = isCompressible(ready) ? chooseEncoding(acceptEncoding, encodings) : null;
  if (encoding === null) return { bytes: ready.bytes, encoding };
  const made = ready.compressed.get(encoding) ?? compressors[encoding](ready.bytes);
  ready.compressed.set(encoding, made);
  return { bytes: await made, encoding };
}

/** Whether the response depends on `Accept-Encoding`. */
export const isCompressible = ({ bytes }: Body): boolean => bytes.length >= leastCompressed;

/** Whether the response to this request depends on nothing but reference data and the form of the request. */
export function isReference(registry: Registry, resource: Resource, query: RawQuery): boolean {
  return (
    resource.reference === true &&
    resource.variant === undefined &&
    query.every(([key, value]) => {
      if (key === 'include') return value.split(',').every((path) => leadsToReference(registry, resource, path));
      const filter = /^filter\[(.*)\]$/.exec(key)?.[1];
      return filter === undefined || (Object.hasOwn(resource.filters, filter) && !resource.filters[filter]?.live);
    })
  );
}

function leadsToReference(registry: Registry, resource: Resource, path: string): boolean {
  let at: Resource | undefined = resource;
  for (const name of path
    .trim()
    .split('.')
    .filter((each) => each !== '')) {
    const target: Resource['relationships'][string]['target'] | undefined = at.relationships[name]?.target;
    at = typeof target === 'string' ? registry.get(target) : undefined;
    if (at?.reference !== true || at.variant !== undefined) return false;
  }
  return true;
}
