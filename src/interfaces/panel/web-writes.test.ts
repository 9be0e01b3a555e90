/** How the panel writes: each write once, whoever clicks twice, loses the connection or has to sign in again. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ApiProblem, fieldErrors, Unreachable } from '../../../web/src/api/problems.ts';
import { createSend } from '../../../web/src/api/writer.ts';

/** A server that answers with these in turn, and remembers under which keys it was asked. */
function server(...answers: (Error | string)[]) {
  const keys: string[] = [];
  const newKeys = ['1', '2', '3', '4'];
  let signIns = 0;
  let proofs = 0;
  const send = createSend({
    transmit: async (_method, _path, _body, key) => {
      keys.push(key);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    newKey: () => newKeys.shift() ?? '',
    signInAgain: async () => {
      signIns += 1;
      return true;
    },
    confirm: async () => {
      proofs += 1;
      return proofs === 1;
    },
  });
  const order = (body: unknown = 'one') => send('POST', '/v3/orders', body).catch((error: Error) => error);
  return { keys, order, signIns: () => signIns };
}

const cut = new Unreachable('POST', '/v3/orders', true);
const refused = (status: number) => new ApiProblem(status, [], null);

test('a write has the same key until its outcome is known', async () => {
  const { keys, order } = server(cut, refused(503), 'bought', 'bought', refused(422), 'bought');
  for (let attempt = 0; attempt < 6; attempt += 1) await order();
  expect(keys).toEqual(['1', '1', '1', '2', '3', '4']);
});

test('another write has another key', async () => {
  const { keys, order } = server(cut, cut, 'bought');
  await order('one');
  await order('two');
  await order('one');
  expect(keys).toEqual(['1', '2', '1']);
});

test('a write that finds the session ended is sent again after signing in, once, with its key', async () => {
  const { keys, order, signIns } = server(refused(401), 'bought', refused(401), refused(401));
  expect(await order()).toBe('bought');
  expect(await order()).toBeInstanceOf(ApiProblem);
  expect(keys).toEqual(['1', '1', '2', '2']);
  expect(signIns()).toBe(2);
});

test('a write that needs a proof is sent again once the person has given it, and not if they would rather not', async () => {
  const needed = { title: '', detail: '', status: '403', meta: { needed: 'confirmation' } };
  const proof = new ApiProblem(403, [needed], null);
  const { keys, order } = server(proof, refused(401), 'bought', proof, 'never');
  expect(await order()).toBe('bought');
  expect(await order()).toBe(proof);
  expect(keys).toEqual(['1', '1', '1', '2']);
});

test('who is offline is told so, and whether trying again is safe', () => {
  const told = (...problem: ConstructorParameters<typeof Unreachable>) => fieldErrors(new Unreachable(...problem))[''];
  expect(told('POST', '/v3/orders', false)).toBe('You are offline. Try again when the connection is back.');
  expect(told('POST', '/v3/orders', true)).toContain('not done twice');
  expect(told('POST', '/panel/v1/members', true)).toContain('look before you try again');
});

test('pages write through the one hook', async () => {
  const folder = path.join(import.meta.dirname, '../../../web/src');
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const texts = await Promise.all(files.map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')]));
  const using = (word: RegExp) =>
    texts.flatMap(([name, text]) => (word.test(text ?? '') ? [name?.replaceAll('\\', '/')] : []));
  expect(using(/\buseMutation\b/)).toEqual(['api/acts.ts']);
  expect(using(/\btransmit\b/).toSorted()).toEqual(['api/acts.ts', 'api/request.ts', 'api/writer.ts']);
  expect(using(/(?<!re)\bfetch\(/).toSorted()).toEqual(['api/request.ts', 'shell/programs.ts']);
});
