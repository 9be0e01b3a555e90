/** `signing-certificate …`: the certificates with which calls to carriers are signed. */
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { OperatorError } from '../../base/operator-error.ts';
import { listSigningCertificates, stateOf } from '../../business/caller-identity/signing-certificates.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import {
  addSigningCertificate,
  changeSigningCertificate,
  dropSigningCertificate,
} from '../../interfaces/operator/peers/signing-certificates.writes.ts';
import { reasonOption } from './change-command.ts';
import { onOrOff } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';

const settingsOptions = {
  url: { type: 'string', value: 'URL', summary: 'where others fetch the chain; "own" (the default): at this server' },
  enabled: { type: 'string', value: 'on|off', summary: 'whether calls may be signed with it (on)' },
} as const;

interface GivenSettings {
  url?: string | undefined;
  enabled?: string | undefined;
}

const settingsOf = ({ url, enabled }: GivenSettings) => ({
  ...(url !== undefined && { url: url === 'own' ? null : url }),
  ...(enabled !== undefined && { enabled: onOrOff('--enabled', enabled) }),
});

export const signingCertificateCommands = [
  environmentCommand({
    name: 'signing-certificate create',
    summary: 'Add a certificate with which calls to carriers are signed (STIR/SHAKEN).',
    positionals: ['NAME'],
    options: {
      chain: { type: 'string', value: 'FILE', summary: 'PEM: the certificate, then those of the authorities above it' },
      key: { type: 'string', value: 'FILE', summary: 'PEM: its private key, without a passphrase; - reads stdin' },
      ...settingsOptions,
      ...reasonOption,
    },
    run: async ({ env, values, positionals: [name = ''], out }) => {
      const { chain, key, reason, ...settings } = values;
      if (chain === undefined) throw new OperatorError('--chain is missing: the file with the certificates.');
      if (key === undefined) throw new OperatorError('--key is missing: the file with the private key.');
      const [chainText, privateKey] = await Promise.all([readPem(chain), key === '-' ? stdin() : readPem(key)]);
      const given = { name, chain: chainText, privateKey, ...settingsOf(settings) };
      await addSigningCertificate(atCommandLine(env, reason), given);
      out(`Added the certificate ${name}.`);
    },
  }),
  environmentCommand({
    name: 'signing-certificate update',
    summary: 'Switch a certificate on or off, or change where its chain is fetched.',
    positionals: ['NAME'],
    options: { ...settingsOptions, ...reasonOption },
    run: async ({ env, values: { reason, ...settings }, positionals: [name = ''], out }) => {
      await changeSigningCertificate(atCommandLine(env, reason), { name }, settingsOf(settings));
      out(`Changed the certificate ${name}.`);
    },
  }),
  confirmedCommand({
    name: 'signing-certificate remove',
    summary: 'Remove a certificate that is off or has ended.',
    positionals: ['NAME'],
    run: async ({ env, reason, positionals: [name = ''] }) => {
      await dropSigningCertificate(atCommandLine(env, reason), { name });
      const effects = ['its private key is deleted', 'its chain is no longer served'];
      return { concerned: name, effects, done: `Removed the certificate ${name}.` };
    },
  }),
  environmentCommand({
    name: 'signing-certificate list',
    summary: 'List the certificates with which calls are signed, the newest first.',
    run: async ({ env, printTable }) => {
      const all = await listSigningCertificates(env);
      const rows = all.map((one) => [
        ...[one.name, stateOf(one, all, env.clock.now()), one.signer],
        ...[one.valid_from.toISOString(), one.valid_until.toISOString(), one.url],
      ]);
      printTable(['NAME', 'STATE', 'SIGNER', 'FROM', 'UNTIL', 'URL'], rows, 'There are no certificates.');
    },
  }),
];

const stdin = () => readAll(process.stdin);

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    throw new OperatorError(`${file} cannot be read (${code}).`);
  }
}
