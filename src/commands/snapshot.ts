/** `snapshot save|load|list|drop`: states of worlds, and the files that carry them to other machines and into a repository. */
import { readFile, writeFile } from 'node:fs/promises';
import { OperatorError } from '../operator-error.ts';
import { defineCommand } from './command.ts';
import { controlOf, controlOptions, transfer } from './sandbox-control.ts';

const snapshotPath = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;

export const snapshotCommands = [
  defineCommand({
    name: 'snapshot save',
    summary: 'Write the state of a world, of the sandbox, or of a snapshot to a file.',
    positionals: ['FILE'],
    options: {
      ...controlOptions,
      world: { type: 'string', value: 'ID', summary: 'a world; the sandbox itself if it is missing' },
      name: { type: 'string', value: 'NAME', summary: 'a snapshot that exists' },
    },
    notes: 'Secrets of the accounts in it are no more secret than the file.',
    run: async ({ values, positionals: [file = ''], out }) => {
      if (values.world !== undefined && values.name !== undefined)
        throw new OperatorError('--world and --name cannot be given together.');
      const control = controlOf(values);
      const name = values.name ?? `file-${process.pid}-${Math.round(performance.now())}`;
      const isOwn = values.name === undefined;
      if (isOwn) {
        const world = values.world === undefined ? {} : { world: values.world };
        await control('POST', '/snapshots', { name, ...world });
      }
      try {
        const content = await transfer(values, snapshotPath(name));
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
    options: controlOptions,
    notes: 'A file that an older version has saved is migrated.',
    run: async ({ values, positionals: [file = '', name = ''], out }) => {
      const content = await readFile(file).catch(() => {
        throw new OperatorError(`${file} cannot be read.`);
      });
      await transfer(values, snapshotPath(name), content);
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
];
