/**
 * `otp-providers test` and `carrier test`: asks a running server to test a provider or a carrier, and waits for the
 * result.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import { wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { PeerTestsTable } from '../../engines/db/tables/operators.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { requestCarrierTest, requestTest } from '../../interfaces/operator/peers/peer-tests.ts';
import { requestTestCall } from '../../interfaces/operator/peers/test-calls.ts';
import { reasonOption } from './change-command.ts';
import { option } from './command.ts';
import { environmentCommand } from './open-environment.ts';

const resultOptions = {
  json: { type: 'boolean', summary: 'print JSON' },
  wait: { type: 'string', value: 'SECONDS', summary: 'how long to wait for the result (30)' },
} as const;
const waitSeconds = wholeNumber(0, 3600);
const lookEveryMs = 250;

export const peerTestCommands = [
  environmentCommand({
    name: 'otp-providers test',
    summary: 'Send a test message through a provider, whatever the routes say. A worker of a running server sends it.',
    positionals: ['NAME', 'NUMBER'],
    options: { ...reasonOption, ...resultOptions },
    run: async ({ env, values, positionals: [name = '', number = ''], out }) => {
      const seconds = option('wait', values.wait, waitSeconds) ?? 30;
      const id = await requestTest(atCommandLine(env, values.reason), { name }, phoneNumber(number));
      await tellResult(env, id, { seconds, json: values.json, out });
    },
  }),
  environmentCommand({
    name: 'carrier test',
    summary:
      'Ask a carrier with OPTIONS whether it is there, at once, or place a short call through it. A running server with SIP does it.',
    positionals: ['NAME'],
    options: {
      call: { type: 'string', value: 'NUMBER', summary: 'call this phone; hung up at once after the answer' },
      ...reasonOption,
      ...resultOptions,
    },
    notes: 'A call rings for at most 30 seconds and costs what the carrier charges. There are at most 6 a minute.',
    run: async ({ env, values, positionals: [name = ''], out }) => {
      const seconds = option('wait', values.wait, waitSeconds) ?? (values.call === undefined ? 30 : 60);
      const acting = atCommandLine(env, values.reason);
      const id = await (values.call === undefined
        ? requestCarrierTest(acting, { name })
        : requestTestCall(acting, { name }, phoneNumber(values.call)));
      await tellResult(env, id, { seconds, json: values.json, out });
    },
  }),
];

function phoneNumber(text: string): string {
  if (!/^\+?[0-9]{8,15}$/.test(text)) throw new OperatorError('The number must be 8 to 15 digits.');
  return text;
}

interface Telling {
  seconds: number;
  json: boolean | undefined;
  out: (line: string) => void;
}

/** Fails if the test has failed, so that scripts notice. */
async function tellResult({ db }: Environment, id: string, { seconds, json, out }: Telling): Promise<void> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    const test = await db.selectFrom('peer_tests').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    if (test.status !== 'waiting' || performance.now() >= until) {
      out(json ? JSON.stringify(test) : sentenceOf(test));
      if (test.status === 'failed') throw new OperatorError(`The test of ${test.peer} has failed.`);
      return;
    }
    await sleep(lookEveryMs);
  }
}

function sentenceOf(test: Selectable<PeerTestsTable>): string {
  if (test.status === 'waiting')
    return `${test.peer} was not tested yet. \`trunkline lookup peer_tests\` shows the result later.`;
  const took = test.milliseconds === null ? '' : `, ${test.milliseconds} ms`;
  const rang = test.ring_milliseconds === null ? '' : `, rang for ${test.ring_milliseconds} ms`;
  return `${test.peer}: ${test.status} (${test.result ?? 'no answer'}${rang}${took}).`;
}
