/**
 * The format of an encrypted file: `RSA_A(S) ‖ RSA_B(S) ‖ AES-256-CBC(K, IV, file)` with S = K ‖ IV, RSA-OAEP with
 * SHA-256 in both places, no header and no MAC. Decryption works on a stream and names the problem of an unreadable
 * file.
 */
import {
  constants,
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import type { PrivateKeys } from './key-pairs.ts';

export type FileProblem = 'too_short' | 'not_whole_blocks' | 'foreign_key' | 'wrong_padding' | 'not_a_document';

/** Completes the sentence `the file …`; also the detail of a rejected upload. */
export const problemTexts: Readonly<Record<FileProblem, string>> = {
  too_short: 'is shorter than its own keys',
  not_whole_blocks: 'does not end on a whole block: it was cut short or is not encrypted',
  foreign_key: 'was encrypted for another key',
  wrong_padding: 'does not decrypt at its end: it was damaged or cut short',
  not_a_document: 'is not a PDF, JPG or PNG',
};

/** Thrown for a file that cannot be decrypted or is not a document. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(`the file ${problemTexts[problem]}`);
    this.problem = problem;
  }
}

export type DocumentType = 'application/pdf' | 'image/jpeg' | 'image/png';

const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
const blockBytes = 16;
const longestSignature = 8;

/**
 * Returns the type of a document by its first bytes. PDF readers allow the signature anywhere in the first kilobyte.
 */
export function documentTypeOf(start: Buffer): DocumentType | null {
  if (start.subarray(0, 1024).includes('%PDF-')) return 'application/pdf';
  if (start.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg';
  return start.subarray(0, longestSignature).equals(Buffer.from('89504e470d0a1a0a', 'hex')) ? 'image/png' : null;
}

/** Encrypts a document for both keys (PEM, A first), as clients do before they upload it. */
export function encrypt(document: Buffer, pems: readonly [string, string]): Buffer {
  const key = randomBytes(32);
  const iv = randomBytes(16);
  const secret = Buffer.concat([key, iv]);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const wrapped = pems.map((pem) => publicEncrypt({ key: pem, ...oaep }, secret));
  return Buffer.concat([...wrapped, cipher.update(document), cipher.final()]);
}

/** Decrypts the chunks of an encrypted file; `size` is the size of the whole file. */
export async function* decrypt(chunks: AsyncIterable<Buffer>, size: number, { keys, modulusBytes }: PrivateKeys) {
  const header = modulusBytes[0] + modulusBytes[1];
  if (size < header + blockBytes) throw new UnreadableFile('too_short');
  if ((size - header) % blockBytes !== 0) throw new UnreadableFile('not_whole_blocks');
  let start = Buffer.alloc(0);
  let decipher: ReturnType<typeof createDecipheriv> | null = null;
  for await (const chunk of chunks) {
    if (decipher) {
      yield decipher.update(chunk);
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < header) continue;
    const secret =
      unwrap(keys[0], start.subarray(0, modulusBytes[0])) ?? unwrap(keys[1], start.subarray(modulusBytes[0], header));
    if (!secret) throw new UnreadableFile('foreign_key');
    decipher = createDecipheriv('aes-256-cbc', secret.subarray(0, 32), secret.subarray(32));
    yield decipher.update(start.subarray(header));
  }
  if (!decipher) throw new UnreadableFile('too_short');
  yield finish(decipher);
}

/** Returns K ‖ IV, or null if it was not encrypted for this key. */
function unwrap(key: KeyObject, wrapped: Buffer): Buffer | null {
  try {
    const secret = privateDecrypt({ key, ...oaep }, wrapped);
    return secret.length === 48 ? secret : null;
  } catch {
    return null;
  }
}

function finish(decipher: ReturnType<typeof createDecipheriv>): Buffer {
  try {
    return decipher.final();
  } catch {
    throw new UnreadableFile('wrong_padding');
  }
}

/** Passes the bytes on as soon as their type is known, and throws if they are not a document. */
export async function* onlyDocuments(plain: AsyncIterable<Buffer>, onType: (type: DocumentType) => void) {
  let start = Buffer.alloc(0);
  let type: DocumentType | null = null;
  for await (const chunk of plain) {
    if (type) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < 1024) continue;
    type = documentTypeOf(start);
    if (!type) throw new UnreadableFile('not_a_document');
    onType(type);
    yield start;
  }
  if (type) return;
  type = documentTypeOf(start);
  if (!type) throw new UnreadableFile('not_a_document');
  onType(type);
  yield start;
}
