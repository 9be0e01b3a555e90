/** Reads one multipart upload as it arrives: its bytes go to the database chunk by chunk, its fields are checked. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { Environment } from '../../../environment.ts';
import { ApiError, type ErrorObject, invalid, messages } from '../../../jsonapi/errors.ts';
import { currentFingerprint } from './key-pairs.ts';
import { FileWriter } from './stored-files.ts';

export const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** How much more than that is read politely before the connection is cut. */
const MAX_BODY_BYTES = 4 * MAX_FILE_BYTES;
const MAX_FIELD_BYTES = 64 * 1024;

export interface Upload {
  writer: FileWriter;
  fingerprint: string;
  description: string | null;
}

const FILE = 'encrypted_files[file]';
const FINGERPRINT = 'encrypted_files[encryption_fingerprint]';
const DESCRIPTION = 'encrypted_files[description]';

/** Not a form, or not this one. The contract gives this endpoint an answer of its own. */
export const invalidParams = (): ErrorObject => ({
  title: 'invalid params',
  detail: 'invalid params',
  code: '400',
  status: '400',
});

/** Answers with what was stored but is not yet a file; throws, with nothing left behind, when it cannot become one. */
export async function receiveUpload(env: Environment, accountId: string, request: IncomingMessage): Promise<Upload> {
  const form = new Form(env, accountId);
  try {
    await form.read(request);
    const problem = form.problem();
    if (problem) throw new ApiError([problem]);
    return form.upload();
  } catch (error) {
    await form.discard();
    throw error;
  }
}

class Form {
  readonly #env: Environment;
  readonly #accountId: string;
  #current = '';
  readonly #fields = new Map<string, string>();
  #writer: FileWriter | null = null;
  #stream: BusboyFileStream | null = null;
  #receiving: Promise<void> = Promise.resolve();
  #refused = false;
  #tooLarge = false;
  #failure: unknown = null;

  constructor(env: Environment, accountId: string) {
    this.#env = env;
    this.#accountId = accountId;
  }

  async read(request: IncomingMessage): Promise<void> {
    const type = request.headers['content-type'];
    if (!type?.toLowerCase().startsWith('multipart/form-data')) throw new ApiError([invalidParams()]);
    this.#current = await currentFingerprint(this.#env);
    try {
      await pipeline(request, atMost(MAX_BODY_BYTES), this.#parser(type));
    } catch {
      // Cut short, without its closing boundary, or no form at all.
      throw new ApiError([invalidParams()]);
    }
    await this.#receiving;
    if (this.#failure) throw this.#failure;
  }

  #parser(type: string) {
    const parser = new Busboy({
      headers: { 'content-type': type },
      limits: { files: 1, fields: 10, fieldSize: MAX_FIELD_BYTES, fileSize: MAX_FILE_BYTES, headerPairs: 50 },
    });
    parser.on('field', (name, value, nameCut, valueCut) => this.#field(name, value, nameCut || valueCut));
    parser.on('file', (name, stream) => this.#file(name, stream));
    for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) parser.on(event, () => this.#refuse());
    return parser;
  }

  problem(): ErrorObject | null {
    if (this.#refused) return invalidParams();
    if (this.#fields.get(FINGERPRINT) !== this.#current) return invalid.base('outdated fingerprint');
    if (!this.#writer || this.#writer.size === 0) return invalid.attribute('file', messages.blank);
    return this.#tooLarge ? invalid.attribute('file', 'is too large (maximum is 20 MiB)') : null;
  }

  upload(): Upload {
    if (!this.#writer) throw new Error('an upload without a file was accepted');
    const description = this.#fields.get(DESCRIPTION) ?? '';
    return {
      writer: this.#writer,
      fingerprint: this.#fields.get(FINGERPRINT) ?? '',
      description: description === '' ? null : description,
    };
  }

  async discard(): Promise<void> {
    this.#stream?.destroy();
    await this.#receiving;
    await this.#writer?.discard();
  }

  #refuse(): void {
    this.#refused = true;
  }

  #field(name: string, value: string, cut: boolean): void {
    const known = name === FINGERPRINT || name === DESCRIPTION || name === FILE;
    if (!known || cut || value.includes('\0') || this.#fields.has(name)) this.#refuse();
    else this.#fields.set(name, value);
  }

  #file(name: string, stream: BusboyFileStream): void {
    // A form that ends inside a part says so here as well as to the pipeline, at a moment when nobody may be reading.
    stream.on('error', () => undefined);
    if (name !== FILE) this.#refuse();
    // What is bound to be refused is not stored first.
    const outdated = (this.#fields.get(FINGERPRINT) ?? this.#current) !== this.#current;
    if (this.#refused || outdated) {
      stream.resume();
      return;
    }
    this.#stream = stream;
    this.#receiving = this.#store(stream).catch((error: unknown) => {
      this.#failure = error;
      stream.resume();
    });
  }

  async #store(stream: BusboyFileStream): Promise<void> {
    this.#writer = await FileWriter.begin(this.#env, this.#accountId);
    for await (const bytes of stream as Readable) await this.#writer.write(bytes);
    this.#tooLarge = stream.truncated;
    await this.#writer.flush();
  }
}

/** Lets bytes through up to a limit nobody reaches by mistake. */
function atMost(limit: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let seen = 0;
    for await (const chunk of source) {
      seen += chunk.length;
      if (seen > limit) throw new Error('the upload goes on and on');
      yield chunk;
    }
  };
}
