/**
 * `snapshot save|load|list|drop`: states of worlds, and the files that carry them to other machines and into a
 * repository. `snapshot whole`, which is an operator's: the state of all accounts.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { OperatorError } from '../../base/operator-error.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { act, atCommandLine } from '../../interfaces/operator/act.ts';
import { reasonOption } from './change-command.ts';
import { defineCommand } from './command.ts';
import { environmentCommand, environmentOptions, readCommandConfig } from './open-environment.ts';
import { controlOf, controlOptions, transfer } from './sandbox-control.ts';

const passphraseOption = {
  'passphrase-file': {
    type: 'string',
    value: 'FILE',
    summary: 'a file with the passphrase that seals the snapshot, with its secrets in it',
  },
} as const;

async function readPassphrase(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  const text = await readFile(file, 'utf8').catch(() => {
    throw new OperatorError(`${file} cannot be read.`);
  });
  return text.trim();
}

const snapshotPath = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

export const snapshotCommands = [
  defineCommand({
    name: 'snapshot save',
    summary: 'Write the state of a world, of your account in the sandbox, or of a snapshot to a file.',
    positionals: ['FILE'],
    options: {
      ...controlOptions,
      ...passphraseOption,
      world: { type: 'string', value: 'ID', summary: 'a world; your account in the sandbox if it is missing' },
      name: { type: 'string', value: 'NAME', summary: 'a snapshot that exists' },
    },
    notes: 'Without a passphrase the file has no secrets: where it is loaded, keys and passwords are made anew.',
    run: async ({ values, positionals: [file = ''], out }) => {
      if (values.world !== undefined && values.name !== undefined)
        throw new OperatorError('--world and --name cannot be given together.');
      const control = controlOf(values);
      const passphrase = await readPassphrase(values['passphrase-file']);
      const name = values.name ?? `file-${process.pid}-${Math.round(performance.now())}`;
      const isOwn = values.name === undefined;
      if (isOwn) {
        const world = values.world === undefined ? {} : { world: values.world };
        await control('POST', '/snapshots', { name, ...world });
      }
      try {
        const content = await transfer(values, snapshotPath(name), { passphrase });
        await writeFile(file, content).catch(() => {
          throw new OperatorError(`${file} cannot be written.`);
        });
        out(`${file} has ${Math.ceil(content.length / 1024)} KiB.`);
      } finally {
        if (isOwn) await control('DELETE', snapshotPath(name));
      }
    },
  }),
  defineCommand({
    name: 'snapshot load',
    summary: 'Make a snapshot from a file; worlds can be made from its name.',
    positionals: ['FILE', 'NAME'],
    options: { ...controlOptions, ...passphraseOption },
    notes: 'A file that an older version has saved can be loaded as long as no migration since then changes rows.',
    run: async ({ values, positionals: [file = '', name = ''], out }) => {
      const content = await readFile(file).catch(() => {
        throw new OperatorError(`${file} cannot be read.`);
      });
      const passphrase = await readPassphrase(values['passphrase-file']);
      await transfer(values, snapshotPath(name), { content, passphrase });
      out(`trunkline world new --from "${name}" makes a world from it.`);
    },
  }),
  defineCommand({
    name: 'snapshot list',
    summary: 'List your snapshots.',
    options: controlOptions,
    run: async ({ values, printTable }) => {
      const { snapshots } = (await controlOf(values)('GET', '/snapshots')) as {
        snapshots: { name: string; created_at: string }[];
      };
      const rows = snapshots.map(({ name, created_at }) => [name, created_at]);
      printTable(['name', 'made'], rows, 'There is no snapshot.');
    },
  }),
  defineCommand({
    name: 'snapshot drop',
    summary: 'Drop a snapshot.',
    positionals: ['NAME'],
    options: controlOptions,
    run: async ({ values, positionals: [name = ''], out }) => {
      await controlOf(values)('DELETE', snapshotPath(name));
      out(`${name} is gone.`);
    },
  }),
  environmentCommand({
    name: 'snapshot whole',
    summary: 'Save the state of all accounts of the sandbox, for one of them to make worlds from.',
    positionals: ['NAME'],
    options: {
      ...environmentOptions,
      ...reasonOption,
      account: { type: 'string', value: 'NAME', summary: 'whose snapshot it is: its name, e-mail or id' },
    },
    notes:
      'Customers save their own account only. Keys of every account work in such a world; it calls back to nobody but the account named here, and there is no file of it.',
    run: async ({ env, values, positionals: [name = ''], out }) => {
      const account = await requireAccount(env, values.account ?? '');
      // The other commands of this file need none of it.
      const { openWorlds } = await import('../boot/worlds.ts');
      const { noMedia } = await import('../boot/media.ts');
      const { Turns } = await import('../../interfaces/server/turns.ts');
      const worlds =
        openWorlds(env, { config: readCommandConfig(values), media: noMedia, turns: new Turns() })?.worlds ?? null;
      if (worlds === null) throw new OperatorError('Only a sandbox with worlds has snapshots: --env sandbox.');
      try {
        if (!(await worlds.snapshots.saveWhole(account.id, name)))
          throw new OperatorError(`${account.name} has a snapshot named "${name}" already.`);
        await act(atCommandLine(env, values.reason), async () => ({
          result: undefined,
          action: 'snapshot.whole',
          accountId: account.id,
          subject: { type: 'snapshots', id: name },
          after: { whole: true },
        }));
      } finally {
        await worlds.stop();
      }
      out(`trunkline world new --from "${name}" makes a world from it, with a key of ${account.name}.`);
    },
  }),
];
