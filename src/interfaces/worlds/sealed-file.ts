/**
 * A snapshot file that is sealed with a passphrase: a line of JSON with what the key is made with, then the gzipped
 * content, encrypted, and at its end the tag that proves it whole. Whoever has the file has to try passphrases, each of
 * which costs a tenth of a second and 64 MiB.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { BadSnapshotFile, damaged, notASnapshot } from './snapshot-format.ts';

const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 };
const algorithm = 'aes-256-gcm';
const tagBytes = 16;
const longestHead = 1_000;
const openingBrace = 0x7b;

export async function* sealed(content: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const head = { trunkline_snapshot: 'sealed', salt: salt.toString('base64'), nonce: nonce.toString('base64') };
  yield Buffer.from(`${JSON.stringify(head)}\n`);
  const cipher = createCipheriv(algorithm, await keyOf(passphrase, salt), nonce);
  for await (const chunk of content) yield cipher.update(chunk);
  yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
}

/** The content of a file as it was before it was sealed. One that is not sealed is passed on as it is. */
export async function* opened(file: AsyncIterable<Buffer>, passphrase: string | null): AsyncGenerator<Buffer> {
  const chunks = file[Symbol.asyncIterator]();
  const begin = await beginningOf(chunks);
  if (begin[0] !== openingBrace) {
    yield begin;
    return yield* rest(chunks);
  }
  if (passphrase === null) throw new BadSnapshotFile('The file is sealed: the passphrase is needed.');
  const { salt, nonce, content } = readHead(begin);
  const decipher = createDecipheriv(algorithm, await keyOf(passphrase, salt), nonce);
  // The tag stands at the end, so as many bytes are always kept back.
  let kept = content;
  for await (const chunk of rest(chunks)) {
    const all = Buffer.concat([kept, chunk]);
    yield decipher.update(all.subarray(0, Math.max(0, all.length - tagBytes)));
    kept = all.subarray(Math.max(0, all.length - tagBytes));
  }
  if (kept.length < tagBytes) throw damaged();
  yield decipher.update(kept.subarray(0, kept.length - tagBytes));
  decipher.setAuthTag(kept.subarray(kept.length - tagBytes));
  try {
    yield decipher.final();
  } catch {
    throw wrongPassphrase();
  }
}

export const wrongPassphrase = (): BadSnapshotFile =>
  new BadSnapshotFile('The passphrase is not that of the file, or the file is damaged.');

/** At least the head of a sealed file, if it is one. */
async function beginningOf(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let begin = Buffer.alloc(0);
  for (;;) {
    const { value, done } = await chunks.next();
    if (done) return begin;
    begin = Buffer.concat([begin, value]);
    if (begin.length > 0 && (begin[0] !== openingBrace || begin.includes('\n'))) return begin;
    if (begin.length > longestHead) throw notASnapshot();
  }
}

function readHead(begin: Buffer): { salt: Buffer; nonce: Buffer; content: Buffer } {
  const end = begin.indexOf('\n');
  try {
    const { trunkline_snapshot: form, salt, nonce } = JSON.parse(begin.subarray(0, end).toString());
    const bytes = { salt: Buffer.from(String(salt), 'base64'), nonce: Buffer.from(String(nonce), 'base64') };
    if (form === 'sealed' && bytes.salt.length === 16 && bytes.nonce.length === 12) {
      return { ...bytes, content: begin.subarray(end + 1) };
    }
  } catch {
    // Not JSON: told below.
  }
  throw notASnapshot();
}

async function* rest(chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
}

function keyOf(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
