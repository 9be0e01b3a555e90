/**
 * Objects in S3-compatible storage, by s3mini. A large object is sent as a multipart upload, one part at a time, so
 * that a file of any size needs the memory of one part.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { S3mini } from 's3mini';
import { StorageUnavailable } from '../db/unavailable.ts';
import type { ObjectStore, ObjectWriter } from './object-store.ts';

export interface S3Config {
  /** With the bucket as its path: `https://s3.example.com/bucket`; a longer path is a prefix of all keys. */
  readonly url: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** S3 takes no smaller parts but the last. */
export const partBytes = 5 * 1024 * 1024;
/** How long a request may take; for a download, until the response begins. */
const timeoutMs = 60_000;
/** How long to wait before a request that failed for a reason that may pass is sent again. */
const usualPausesMs = [200, 1_000];

export function s3Store(config: S3Config, pausesMs: readonly number[] = usualPausesMs): ObjectStore {
  let opened: Promise<S3mini> | null = null;
  // Loaded with the first file: commands and servers that store none start without it.
  const client = (): Promise<S3mini> => {
    opened ??= import('s3mini').then(
      ({ S3mini }) =>
        new S3mini({
          accessKeyId: config.accessKey,
          secretAccessKey: config.secretKey,
          endpoint: config.url,
          region: config.region,
          fetch: fetchInTime,
        }),
    );
    return opened;
  };
  const send: Send = async (request) => responding(request, await client(), pausesMs);
  return {
    isWritable: true,
    write: (key) => new S3Writer(send, key),
    read: async (key, first, last) => {
      const response = await send((s3) => s3.getObjectRaw(key, false, first, last + 1));
      return exactly(response, last - first + 1);
    },
    delete: async (key) => {
      await send((s3) => s3.deleteObject(key));
    },
  };
}

/** Sends a request to the storage, if need be again. */
type Send = <T>(request: (s3: S3mini) => Promise<T>) => Promise<T>;

class S3Writer implements ObjectWriter {
  readonly #send: Send;
  readonly #key: string;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #uploadId: string | null = null;
  readonly #parts: { partNumber: number; etag: string }[] = [];

  constructor(send: Send, key: string) {
    this.#send = send;
    this.#key = key;
  }

  async write(bytes: Buffer): Promise<void> {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= partBytes) await this.#sendPart();
  }

  /** A small object is one request. */
  async finish(): Promise<void> {
    if (this.#uploadId === null) {
      const bytes = this.#takePending();
      await this.#send((s3) => s3.putObject(this.#key, bytes));
      return;
    }
    if (this.#pendingBytes > 0) await this.#sendPart();
    const id = this.#uploadId;
    await this.#send((s3) => s3.completeMultipartUpload(this.#key, id, this.#parts));
  }

  async abort(): Promise<void> {
    this.#takePending();
    const id = this.#uploadId;
    if (id === null) return;
    await this.#send((s3) => s3.abortMultipartUpload(this.#key, id)).catch(() => undefined);
  }

  async #sendPart(): Promise<void> {
    this.#uploadId ??= await this.#send((s3) => s3.getMultipartUploadId(this.#key));
    const [id, bytes, partNumber] = [this.#uploadId, this.#takePending(), this.#parts.length + 1];
    this.#parts.push(await this.#send((s3) => s3.uploadPart(this.#key, id, bytes, partNumber)));
  }

  #takePending(): Buffer {
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    return bytes;
  }
}

/**
 * Sends a request again if what failed may pass. Every failure ends as StorageUnavailable, with what the store said.
 */
async function responding<T>(request: (s3: S3mini) => Promise<T>, s3: S3mini, pausesMs: readonly number[]): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await request(s3);
    } catch (error) {
      if (!mayPass(error)) throw unavailable(error);
    }
    await sleep(pauseMs);
  }
  return request(s3).catch((error: unknown) => {
    throw unavailable(error);
  });
}

const statusOf = (error: unknown): number | null =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null;

/** Without a status there was no response. */
function mayPass(error: unknown): boolean {
  const status = statusOf(error);
  return status === null || status === 429 || status >= 500;
}

function unavailable(error: unknown): StorageUnavailable {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const text = error instanceof Error ? `${error.message}${cause}` : String(error);
  return new StorageUnavailable(`object storage failed: ${text}`, { cause: error });
}

/** The timeout ends with the headers of a download, whose body may take as long as its reader does. */
async function fetchInTime(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  const whole = { ...init, redirect: 'manual' as const };
  if (init.method !== 'GET') return fetch(input, { ...whole, signal: AbortSignal.timeout(timeoutMs) });
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('the store did not respond in time')), timeoutMs);
  try {
    return await fetch(input, { ...whole, signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Yields the body, and throws if it is not `expected` bytes: a file is never shorter than its record says. */
async function* exactly(response: Response, expected: number): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const chunk of response.body ?? []) {
    seen += chunk.length;
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  if (seen !== expected) throw new StorageUnavailable(`object storage sent ${seen} of ${expected} bytes`);
}
