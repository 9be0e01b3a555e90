/**
 * `review list`, `show`, `open`, `approve`, `reject`, `auto`, `check-uploads`, `deadline` and `rotate-keys`: reviewing
 * submissions on the command line.
 */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { oneOf, text } from '../../base/fields.ts';
import { exists } from '../../base/files.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { isUuid } from '../../base/uuid.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { setRegistrationDays } from '../../interfaces/platform/dids/due-dates.ts';
import { decideVerification } from '../../interfaces/platform/emergency/decide-verification.ts';
import { UnreadableFile } from '../../interfaces/platform/identities/encryption.ts';
import { rotateKeys } from '../../interfaces/platform/identities/key-pairs.ts';
import { openFile, setUploadCheck } from '../../interfaces/platform/identities/open-file.ts';
import { type Decision, setAutoDecision } from '../../interfaces/platform/regulation/decision.ts';
import { reviewQueue, showSubmission } from '../../interfaces/platform/regulation/review-queue.ts';
import { changeCommand } from './change-command.ts';
import { argument, onOrOff } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const reviewer = { type: 'string', value: 'NAME', summary: 'who reviews, for the audit log (default: cli)' } as const;
const json = { type: 'boolean', summary: 'print JSON' } as const;

export const reviewCommands = [
  environmentCommand({
    name: 'review list',
    summary: 'List the submissions that wait for a reviewer, oldest first.',
    options: { json },
    run: async ({ env, values, out, printTable }) => {
      const queue = await reviewQueue(env);
      if (values.json) return out(JSON.stringify(queue));
      const rows = queue.map((one) => [
        one.reference,
        one.type === 'address_verifications' ? 'address' : 'emergency',
        one.account,
        one.identity,
        `${one.city}, ${one.country}`,
        String(one.numbers),
        moment(one.created_at),
      ]);
      const headings = ['REFERENCE', 'KIND', 'ACCOUNT', 'IDENTITY', 'ADDRESS', 'NUMBERS', 'SUBMITTED'];
      printTable(headings, rows, 'Nothing waits for a review.');
    },
  }),
  environmentCommand({
    name: 'review show',
    summary: 'Show a submission: who, where, which numbers, and the files to open.',
    positionals: ['REFERENCE'],
    options: { json },
    run: async ({ env, values, positionals: [reference = ''], out, printTable }) => {
      const found = await requireSubmission(env, reference);
      if (values.json) return out(JSON.stringify(found));
      out(`${found.reference} ${found.type} ${found.status}, submitted ${moment(found.created_at)}`);
      for (const line of [...described('Identity', found.identity), ...described('Address', found.address)]) out(line);
      if (found.service_description !== null) out(`Service: ${found.service_description}`);
      out(`Numbers: ${found.numbers.join(', ')}`);
      const rows = found.files.map((file) => [file.id, file.of, String(file.size)]);
      printTable(['FILE', 'WHAT', 'BYTES'], rows, 'There are no files.');
    },
  }),
  environmentCommand({
    name: 'review open',
    summary: 'Decrypt a file of a submission to a new file on disk. The audit log remembers who did.',
    positionals: ['FILE', 'TARGET'],
    options: { reviewer },
    run: async ({ env, values, positionals: [id = '', target = ''], out }) => {
      if (!isUuid(id)) throw new OperatorError(`There is no file ${id}.`);
      if (await exists(target)) throw targetExists(target);
      const partial = `${target}.${randomBytes(4).toString('hex')}.part`;
      try {
        const opened = await openFile(env, id, { kind: 'named', id: values.reviewer ?? 'cli' });
        if (opened === null) throw new OperatorError(`There is no file ${id}.`);
        await pipeline(opened.content, createWriteStream(partial, { mode: 0o600, flags: 'wx' }));
        // Unlike a rename, a link fails if the target was created meanwhile.
        await link(partial, target);
        out(`${opened.type} written to ${target}`);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw targetExists(target);
        throw error instanceof UnreadableFile ? new OperatorError(`It cannot be opened: ${error.message}.`) : error;
      } finally {
        await rm(partial, { force: true });
      }
    },
  }),
  environmentCommand({
    name: 'review approve',
    summary: 'Approve a submission: its numbers are released, or its emergency service starts.',
    positionals: ['REFERENCE'],
    options: { reviewer },
    run: ({ env, values, positionals: [reference = ''], out }) =>
      decide(env, reference, { action: 'approve' }, values.reviewer, out),
  }),
  environmentCommand({
    name: 'review reject',
    summary: 'Reject a submission; the customer is told why.',
    positionals: ['REFERENCE'],
    options: {
      reviewer,
      reason: { type: 'string', value: 'TEXT', summary: 'why; several are separated by |' },
      comment: { type: 'string', value: 'TEXT', summary: 'a note to the customer' },
    },
    run: ({ env, values, positionals: [reference = ''], out }) => {
      const reasons = (values.reason ?? '')
        .split('|')
        .map((reason) => reason.trim())
        .filter((reason) => reason !== '');
      if (reasons.length === 0) throw new OperatorError('--reason is missing.');
      const decision: Decision = { action: 'reject', reasons, comment: values.comment ?? null };
      return decide(env, reference, decision, values.reviewer, out);
    },
  }),
  changeCommand({
    action: 'review_settings.changed',
    name: 'review auto',
    summary: 'Have every submission of an account approved or rejected at once, or reviewed by a person again.',
    positionals: ['ACCOUNT', 'approve|reject|off'],
    run: async ({ env, positionals: [name = '', word = ''], out }) => {
      const account = await requireAccount(env, name);
      const decision = argument('The decision', word, oneOf('approve', 'reject', 'off'));
      await setAutoDecision(env, account.id, decision === 'off' ? null : decision);
      out(word === 'off' ? 'A person decides.' : `Submissions are decided at once: ${word}.`);
      return reviewChange(account.id, { auto_decision: word });
    },
  }),
  changeCommand({
    action: 'review_settings.changed',
    name: 'review check-uploads',
    summary: 'Refuse uploads of an account that no reviewer could open, or leave that to the review again.',
    positionals: ['ACCOUNT', 'on|off'],
    run: async ({ env, positionals: [name = '', word = ''], out }) => {
      const account = await requireAccount(env, name);
      await setUploadCheck(env, account.id, onOrOff('The check', word));
      out(word === 'on' ? 'Uploads are looked into.' : 'Uploads are taken as they are.');
      return reviewChange(account.id, { checks_uploads: word });
    },
  }),
  changeCommand({
    action: 'review_settings.changed',
    name: 'review deadline',
    summary: 'Set how many days numbers that an account buys may wait for their registration.',
    positionals: ['ACCOUNT', 'DAYS|usual'],
    run: async ({ env, positionals: [name = '', word = ''], out }) => {
      const account = await requireAccount(env, name);
      const days = word === 'usual' ? null : Number(argument('DAYS', word, registrationDays));
      await setRegistrationDays(env, account.id, days);
      out(word === 'usual' ? 'Numbers wait as long as usual.' : `Numbers wait ${word} days.`);
      return reviewChange(account.id, { registration_days: word });
    },
  }),
  changeCommand({
    action: 'encryption_keys.rotated',
    name: 'review rotate-keys',
    summary: 'Make new file encryption keys. Old files still open; uploads for the old keys are refused.',
    run: async ({ env, out }) => {
      const keys = await rotateKeys(env);
      for (const key of keys) out(`${key.slot} ${key.fingerprint}`);
      const after = Object.fromEntries(keys.map(({ slot, fingerprint }) => [slot, fingerprint]));
      return { subject: { type: 'encryption_keys', id: env.name }, after };
    },
  }),
];

const reviewChange = (accountId: string, after: Record<string, unknown>) => ({
  accountId,
  subject: { type: 'review_settings', id: accountId },
  after,
});

const registrationDays = text(/^[1-9]\d{0,3}$/, '"usual" or a number of days from 1 to 9999');

const targetExists = (target: string) => new OperatorError(`${target} is there already and is not overwritten.`);

function described(title: string, record: Record<string, unknown> | null): string[] {
  const told = Object.entries(record ?? {}).filter(
    ([name, value]) => value !== null && !/^(id|identity_id)$/.test(name),
  );
  const text = (value: unknown): string => (value instanceof Date ? moment(value) : String(value));
  return record ? [`${title}:`, ...told.map(([name, value]) => `  ${name}: ${text(value)}`)] : [];
}

async function decide(
  env: Environment,
  reference: string,
  decision: Decision,
  reviewer: string | undefined,
  out: (line: string) => void,
): Promise<void> {
  const { id, type } = await requireSubmission(env, reference);
  const { by, source = '' } = atCommandLine(env);
  const outcome = await decideVerification(env, type, {
    ...{ id, decision, source },
    by: reviewer === undefined ? by : { kind: 'named', id: reviewer },
  });
  if (outcome.ok) return out(`${reference} is ${outcome.status}.`);
  throw new OperatorError(
    outcome.reason === 'insufficient_balance'
      ? 'The balance of the account does not cover the first month of the service.'
      : `${reference} has been decided already.`,
  );
}

async function requireSubmission(env: Environment, reference: string) {
  const found = await showSubmission(env, reference);
  if (found === null) throw new OperatorError(`There is no submission ${reference} in ${env.name}.`);
  return found;
}
