/** `otp create`, `otp list`, `otp edit`, `otp regenerate-secret`, `otp delete`: the OTP applications of accounts. */

import { oneOf, wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import type { Environment } from '../../engines/environment.ts';
import { act, atCommandLine } from '../../interfaces/operator/act.ts';
import {
  findApplicationByKey,
  listApplications,
  type OtpApplication,
} from '../../interfaces/verification/application.ts';
import {
  type ApplicationSettings,
  createApplication,
  deleteApplication,
  editApplication,
  regenerateSecret,
} from '../../interfaces/verification/application.writes.ts';
import { changeCommand } from './change-command.ts';
import { type Command, option } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const settings = {
  description: { type: 'string', value: 'TEXT', summary: 'for people' },
  'minimum-mode': { type: 'string', value: 'MODE', summary: 'public (default), basic or application' },
  'callback-url': { type: 'string', value: 'URL', summary: 'asked before a code is sent; empty for none' },
  'code-timeout': { type: 'string', value: 'SECONDS', summary: '60 to 600 (300)' },
  'code-length': { type: 'string', value: 'DIGITS', summary: '4 to 8 (6)' },
  senders: { type: 'string', value: 'DE=Acme,default=Acme', summary: 'sender ids by country of the destination' },
  'daily-limit': { type: 'string', value: 'N', summary: 'starts a day; empty for the general limit' },
} as const;

const json = { type: 'boolean', summary: 'print JSON, with the secret' } as const;

export const otpCommands: readonly Command[] = [
  changeCommand({
    action: 'otp_application.created',
    name: 'otp create',
    summary: 'Create an OTP application of an account; its secret is shown once.',
    positionals: ['ACCOUNT', 'NAME'],
    options: { ...settings, json },
    run: async ({ env, values, positionals: [account = '', name = ''], out }) => {
      const { id } = await requireAccount(env, account);
      const application = await createApplication(env, id, { name, ...readSettings(values) });
      show(application, values.json, out);
      return { ...about(application), after: stateOf(application) };
    },
  }),
  environmentCommand({
    name: 'otp list',
    summary: 'List OTP applications, of one account or of all.',
    options: {
      account: { type: 'string', value: 'ACCOUNT', summary: 'only those of this account' },
    },
    run: async ({ env, values, printTable }) => {
      const accountId = values.account === undefined ? null : (await requireAccount(env, values.account)).id;
      const rows = (await listApplications(env, accountId)).map((application) => [
        application.name,
        application.key,
        application.minimumMode,
        `${application.codeLength} digits, ${application.codeTimeout} s`,
        application.callbackUrl ?? '',
        moment(application.createdAt),
      ]);
      const headings = ['NAME', 'KEY', 'MINIMUM MODE', 'CODE', 'CALLBACK', 'CREATED'];
      printTable(headings, rows, 'There are no OTP applications.');
    },
  }),
  changeCommand({
    action: 'otp_application.updated',
    name: 'otp edit',
    summary: 'Change an OTP application, named by its key; verifications that exist keep what they have.',
    positionals: ['KEY'],
    options: { name: { type: 'string', value: 'TEXT', summary: 'its new name' }, ...settings },
    run: async ({ env, values, positionals: [key = ''], out }) => {
      const before = await applicationOf(env, key);
      const changes = { ...readSettings(values), ...(values.name !== undefined && { name: values.name }) };
      const application = await editApplication(env, before.id, changes);
      out(`Changed ${application.name}.`);
      return { ...about(application), before: stateOf(before), after: stateOf(application) };
    },
  }),
  changeCommand({
    action: 'otp_application.secret_renewed',
    name: 'otp regenerate-secret',
    summary: 'Give an OTP application a new secret; the old one stops working at once.',
    positionals: ['KEY'],
    options: { json },
    run: async ({ env, values, positionals: [key = ''], out }) => {
      const application = await applicationOf(env, key);
      show(await regenerateSecret(env, application.id), values.json, out);
      return about(application);
    },
  }),
  {
    ...confirmedCommand({
      name: 'otp delete',
      summary: 'Delete an OTP application; what it has in flight fails.',
      positionals: ['KEY'],
      run: async ({ env, reason, positionals: [key = ''] }) => {
        const application = await applicationOf(env, key);
        const { name, id } = application;
        await act(atCommandLine(env, reason), async (inside) => {
          await deleteApplication(inside, id);
          const entry = { action: 'otp_application.deleted', before: stateOf(application) } as const;
          return { result: undefined, ...about(application), ...entry };
        });
        return { concerned: name, effects: [`no code is sent for ${name} any more`], done: `Deleted ${name}.` };
      },
    }),
    audits: 'otp_application.deleted',
  },
];

const about = ({ id, accountId }: OtpApplication) => ({ accountId, subject: { type: 'otp_applications', id } });

/** For the audit log: settings without the secret. */
const stateOf = ({ name, minimumMode, codeLength, codeTimeout, callbackUrl }: OtpApplication) => ({
  name,
  minimum_mode: minimumMode,
  code_length: codeLength,
  code_timeout: codeTimeout,
  callback: callbackUrl !== null,
});

function show(application: OtpApplication, asJson: boolean | undefined, out: (line: string) => void): void {
  const { key, name } = application;
  const secret = application.secret.reveal();
  const lines = asJson
    ? [JSON.stringify({ name, key, secret })]
    : [`name    ${name}`, `key     ${key}`, `secret  ${secret}`];
  for (const line of lines) out(line);
}

async function applicationOf(env: Environment, key: string): Promise<OtpApplication> {
  const application = await findApplicationByKey(env, key);
  if (application === null) throw new OperatorError(`There is no OTP application with the key ${key} in ${env.name}.`);
  return application;
}

type Given = { readonly [K in keyof typeof settings]?: string };

function readSettings(values: Given): ApplicationSettings {
  const mode = option('minimum-mode', values['minimum-mode'], oneOf('public', 'basic', 'application'));
  const timeout = option('code-timeout', values['code-timeout'], wholeNumber(60, 600));
  const length = option('code-length', values['code-length'], wholeNumber(4, 8));
  const limit = values['daily-limit'];
  const dailyLimit = limit === '' ? null : option('daily-limit', limit, wholeNumber(1, 1_000_000_000));
  return {
    ...(values.description !== undefined && { description: values.description }),
    ...(mode !== undefined && { minimumMode: mode }),
    ...(values['callback-url'] !== undefined && { callbackUrl: values['callback-url'] }),
    ...(timeout !== undefined && { codeTimeout: timeout }),
    ...(length !== undefined && { codeLength: length }),
    ...(values.senders !== undefined && { senders: readSenders(values.senders) }),
    ...(dailyLimit !== undefined && { dailyLimit }),
  };
}

function readSenders(text: string): Record<string, string> {
  if (text === '') return {};
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [country = '', sender = ''] = pair.split('=');
      return [country.trim(), sender.trim()];
    }),
  );
}
