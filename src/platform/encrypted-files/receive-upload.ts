/** Reads a multipart upload as it arrives: its bytes go to the database chunk by chunk, its fields are checked. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Environment } from '../../environment.ts';
import { ApiError, type ErrorObject, invalid, messages } from '../../jsonapi/errors.ts';
import { isLonger, longestFreeText } from '../../jsonapi/limits.ts';
import type { UploadForm } from '../versions/2026-04-16.forms.ts';
import { feedParser } from './feed-parser.ts';
import { currentFingerprint } from './key-pairs.ts';
import { FileWriter } from './stored-files.ts';
import { describedFiles, FINGERPRINT, type FormPart } from './upload-form.ts';

export const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** How many files' worth more than its own is read politely before the connection is cut. */
const SPARE_FILES = 3;
const MAX_FIELD_BYTES = 64 * 1024;

export interface Upload {
  /** Which of the forms it came in. */
  form: UploadForm;
  fingerprint: string;
  files: { writer: FileWriter; description: string | null }[];
}

/** Not a form, or not this one. The contract gives this endpoint an answer of its own. */
export const invalidParams = (): ErrorObject => ({
  title: 'invalid params',
  detail: 'invalid params',
  code: '400',
  status: '400',
});

/** Answers with what was stored but is not yet a file; throws, with nothing left behind, when it cannot become one. */
export async function receiveUpload(
  env: Environment,
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
  readonly #env: Environment;
  readonly #accountId: string;
  readonly #forms: readonly UploadForm[];
  readonly #mostFiles: number;
  #current = '';
  #fingerprint: string | null = null;
  /** The form it turned out to be, by the first part that has a place in one. */
  #form: UploadForm | null = null;
  readonly #parts: FormPart[] = [];
  readonly #writers: FileWriter[] = [];
  readonly #streams: Readable[] = [];
  #receiving: Promise<void> = Promise.resolve();
  #refused = false;
  #tooLarge = false;
  #failure: unknown = null;

  constructor(env: Environment, accountId: string, forms: readonly UploadForm[]) {
    this.#env = env;
    this.#accountId = accountId;
    this.#forms = forms;
    this.#mostFiles = Math.max(...forms.map(({ files }) => files));
  }

  async read(request: IncomingMessage): Promise<void> {
    const type = request.headers['content-type'];
    if (!type?.toLowerCase().startsWith('multipart/form-data')) throw new ApiError([invalidParams()]);
    this.#current = await currentFingerprint(this.#env);
    try {
      await feedParser(this.#parser(type), request, (this.#mostFiles + SPARE_FILES) * MAX_FILE_BYTES);
    } catch {
      // Cut short, without its closing boundary, or no form at all.
      throw new ApiError([invalidParams()]);
    }
    await this.#receiving;
    if (this.#failure) throw this.#failure;
  }

  #parser(type: string) {
    const files = this.#mostFiles;
    const parser = busboy({
      headers: { 'content-type': type },
      limits: { files, fields: files + 9, fieldSize: MAX_FIELD_BYTES, fileSize: MAX_FILE_BYTES + 1, headerPairs: 50 },
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
    // A description without a file says that one is missing.
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

  /** What a name stands for, in the one form that the upload is. */
  #partNamed(name: string): FormPart['kind'] | null {
    this.#form ??= this.#forms.find(({ file, description }) => name === file || name === description) ?? null;
    if (name === this.#form?.file) return 'file';
    return name === this.#form?.description ? 'description' : null;
  }

  #field(name: string, value: string, cut: boolean): void {
    const isFingerprint = name === FINGERPRINT;
    const kind = isFingerprint ? null : this.#partNamed(name);
    const isKnown = isFingerprint ? this.#fingerprint === null : kind !== null;
    // The parser puts U+FFFD for bytes that are not UTF-8; nobody sends that character on purpose.
    if (!isKnown || cut || /[\0\ufffd]/.test(value)) this.#refuse();
    if (isFingerprint) this.#fingerprint = value;
    // A file's name on a plain field brings no file.
    if (kind === 'description') this.#parts.push({ kind, text: value });
  }

  #file(name: string, stream: Readable): void {
    // A form that ends inside a part says so here as well as to the parser, at a moment when nobody may be reading.
    stream.on('error', () => undefined);
    if (this.#partNamed(name) === 'file') this.#parts.push({ kind: 'file' });
    else this.#refuse();
    // What is bound to be refused is not stored first.
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
    this.#tooLarge ||= writer.size > MAX_FILE_BYTES;
    await writer.flush();
  }
}
