/** Receives a multipart upload as a stream: stores the bytes of its files chunk by chunk and checks its fields. */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy, { type Busboy } from 'busboy';
import { ApiError, type ErrorObject, invalid, messages } from '../../../engines/jsonapi/errors.ts';
import { isLonger, longestFreeText } from '../../../engines/jsonapi/facts.ts';
import type { PlatformEnvironment } from '../context.ts';
import type { UploadForm } from '../versions/forms.ts';
import { currentFingerprint } from './key-pairs.ts';
import { FileWriter } from './stored-files.ts';

const maxFileBytes = 20 * 1024 * 1024;
/** How much longer than allowed a body may be, in files of the largest size, before it is no longer read to its end. */
const spareFiles = 3;
const maxFieldBytes = 64 * 1024;

export interface Upload {
  /** The form that the client used. */
  form: UploadForm;
  fingerprint: string;
  files: { writer: FileWriter; description: string | null }[];
}

/** The body is not a form, or has unknown parts. Contract: this endpoint has its own error format. */
const invalidParams = (): ErrorObject => ({
  title: 'invalid params',
  detail: 'invalid params',
  code: '400',
  status: '400',
});

/** Returns the stored files, not yet complete. If the form is invalid, deletes what was stored and throws. */
export async function receiveUpload(
  env: PlatformEnvironment,
  accountId: string,
  request: IncomingMessage,
  forms: readonly UploadForm[],
): Promise<Upload> {
  const received = new ReceivedForm(env, accountId, forms);
  try {
    await received.read(request);
    const problem = received.problem();
    if (problem) throw new ApiError([problem]);
    return received.upload();
  } catch (error) {
    await received.discard();
    throw error;
  }
}

class ReceivedForm {
  readonly #env: PlatformEnvironment;
  readonly #accountId: string;
  readonly #forms: readonly UploadForm[];
  readonly #maxFiles: number;
  #current = '';
  #fingerprint: string | null = null;
  /** The form that the client uses, recognised by its first known part. */
  #form: UploadForm | null = null;
  readonly #parts: FormPart[] = [];
  readonly #writers: FileWriter[] = [];
  readonly #streams: Readable[] = [];
  #receiving: Promise<void> = Promise.resolve();
  #refused = false;
  #tooLarge = false;
  #failure: unknown = null;

  constructor(env: PlatformEnvironment, accountId: string, forms: readonly UploadForm[]) {
    this.#env = env;
    this.#accountId = accountId;
    this.#forms = forms;
    this.#maxFiles = Math.max(...forms.map(({ files }) => files));
  }

  async read(request: IncomingMessage): Promise<void> {
    const type = request.headers['content-type'];
    if (!type?.toLowerCase().startsWith('multipart/form-data')) throw new ApiError([invalidParams()]);
    this.#current = await currentFingerprint(this.#env);
    try {
      await feedParser(this.#parser(type), request, (this.#maxFiles + spareFiles) * maxFileBytes);
    } catch {
      // The form was cut short, has no closing boundary, or is not a form.
      throw new ApiError([invalidParams()]);
    }
    await this.#receiving;
    if (this.#failure) throw this.#failure;
  }

  #parser(type: string) {
    const files = this.#maxFiles;
    const parser = busboy({
      headers: { 'content-type': type },
      limits: { files, fields: files + 9, fieldSize: maxFieldBytes, fileSize: maxFileBytes + 1, headerPairs: 50 },
    });
    parser.on('field', (name, value, cut) => this.#field(name, value, cut.nameTruncated || cut.valueTruncated));
    parser.on('file', (name, stream) => this.#file(name, stream));
    for (const event of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const) parser.on(event, () => this.#refuse());
    return parser;
  }

  problem(): ErrorObject | null {
    const { files } = this.#form ?? { files: 0 };
    const count = (kind: FormPart['kind']) => this.#parts.filter((part) => part.kind === kind).length;
    if (this.#refused || count('file') > files || count('description') > files) return invalidParams();
    if (this.#fingerprint !== this.#current) return invalid.base('outdated fingerprint');
    const isBlank = this.#writers.length === 0 || this.#writers.some(({ size }) => size === 0);
    // More descriptions than files: a file is missing.
    if (isBlank || count('description') > count('file')) return invalid.attribute('file', messages.blank);
    if (this.#parts.some((part) => part.kind === 'description' && isLonger(part.text, longestFreeText))) {
      return invalid.attribute('description', messages.tooLong(longestFreeText));
    }
    return this.#tooLarge ? invalid.attribute('file', 'is too large (maximum is 20 MiB)') : null;
  }

  upload(): Upload {
    if (!this.#form) throw new Error('an upload without a file was accepted');
    const descriptions = describedFiles(this.#parts);
    return {
      form: this.#form,
      fingerprint: this.#current,
      files: this.#writers.map((writer, index) => ({ writer, description: descriptions[index] ?? null })),
    };
  }

  async discard(): Promise<void> {
    for (const stream of this.#streams) stream.destroy();
    await this.#receiving;
    for (const writer of this.#writers) await writer.discard();
  }

  #refuse(): void {
    this.#refused = true;
  }

  /** Returns what a part of this name is in the client's form, or null if the form has no such part. */
  #partNamed(name: string): FormPart['kind'] | null {
    this.#form ??= this.#forms.find(({ file, description }) => name === file || name === description) ?? null;
    if (name === this.#form?.file) return 'file';
    return name === this.#form?.description ? 'description' : null;
  }

  #field(name: string, value: string, cut: boolean): void {
    const isFingerprint = name === fingerprintPart;
    const kind = isFingerprint ? null : this.#partNamed(name);
    const isKnown = isFingerprint ? this.#fingerprint === null : kind !== null;
    // The parser replaces bytes that are not UTF-8 with U+FFFD; no client sends that character on purpose.
    if (!isKnown || cut || /[\0\ufffd]/.test(value)) this.#refuse();
    if (isFingerprint) this.#fingerprint = value;
    // A plain field with the name of a file part is not a file.
    if (kind === 'description') this.#parts.push({ kind, text: value });
  }

  #file(name: string, stream: Readable): void {
    // A form that ends inside a part is an error of this stream too; the parser's own error is handled.
    stream.on('error', () => undefined);
    if (this.#partNamed(name) === 'file') this.#parts.push({ kind: 'file' });
    else this.#refuse();
    // Do not store files that will be rejected anyway.
    const outdated = (this.#fingerprint ?? this.#current) !== this.#current;
    if (this.#refused || outdated) {
      stream.resume();
      return;
    }
    this.#streams.push(stream);
    this.#receiving = this.#receiving
      .then(() => this.#store(stream))
      .catch((error: unknown) => {
        this.#failure = error;
        stream.resume();
      });
  }

  async #store(stream: Readable): Promise<void> {
    const writer = await FileWriter.begin(this.#env, this.#accountId);
    this.#writers.push(writer);
    for await (const bytes of stream) await writer.write(bytes);
    this.#tooLarge ||= writer.size > maxFileBytes;
    await writer.flush();
  }
}

const fingerprintPart = 'encrypted_files[encryption_fingerprint]';

/** A part of the form other than the fingerprint. */
export type FormPart = { kind: 'file' } | { kind: 'description'; text: string };

/**
 * Returns the description of each file. Descriptions come either before or after their files; the first part shows
 * which.
 */
export function describedFiles(parts: readonly FormPart[]): (string | null)[] {
  const descriptionsFirst = parts[0]?.kind === 'description';
  const pending: string[] = [];
  const files: (string | null)[] = [];
  for (const part of parts) {
    if (part.kind === 'file') files.push(pending.shift() ?? null);
    else if (descriptionsFirst) pending.push(part.text);
    else files[files.length - 1] = part.text;
  }
  return files.map((text) => (text === '' ? null : text));
}

/**
 * Feeds the body of a request to the parser until it ends. Throws if the form is broken or the body exceeds `maxBytes`.
 * Unlike a stream pipeline it reads on after the closing boundary or the error instead of closing the connection, so
 * that the client can read the response.
 */
async function feedParser(parser: Busboy, source: AsyncIterable<Buffer>, maxBytes: number): Promise<void> {
  let hasEnded = false;
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('finish', resolve);
    parser.on('error', reject);
  }).finally(() => {
    hasEnded = true;
  });
  const settled = ended.catch(() => undefined);
  let seen = 0;
  for await (const chunk of source) {
    seen += chunk.length;
    if (seen > maxBytes) throw new Error('the upload is too long');
    if (!hasEnded && !parser.write(chunk)) await Promise.race([once(parser, 'drain').catch(() => undefined), settled]);
  }
  if (!hasEnded) parser.end();
  await ended;
}
