/** `catalogue import`, `catalogue export`, `catalogue generate`. */
import { createWriteStream } from 'node:fs';
import { wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { type AuditAction, writeAudit } from '../../business/audit.ts';
import { exportCatalogue } from '../../business/catalogue/export.ts';
import { generateNumbers } from '../../business/catalogue/generate.ts';
import { importCatalogue } from '../../business/catalogue/import.ts';
import { rebuildStockBlocks, verifyStockBlocks, verifyStockShelves } from '../../business/catalogue/stock-blocks.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { defineCommand, option } from './command.ts';
import { environmentCommand, environmentOptions, withEnvironment } from './open-environment.ts';
import { showProgress } from './output.ts';

export const catalogueCommands = [
  defineCommand({
    name: 'catalogue import',
    summary: 'Add numbers, or a whole catalogue, from a .csv, .json or .jsonl file: all of it or nothing.',
    positionals: ['FILE'],
    options: {
      ...environmentOptions,
      'dry-run': { type: 'boolean', summary: 'check everything and store nothing' },
      'max-errors': { type: 'string', value: 'N', summary: 'how many wrong lines to describe (20)' },
    },
    notes: 'docs/catalogue.md describes the files.',
    run: ({ values, positionals: [file = ''], out }) => {
      const maxErrors = option('max-errors', values['max-errors'], wholeNumber(1, 999_999_999)) ?? 20;
      return withEnvironment(values, async (env) => {
        const progress = showProgress();
        const started = performance.now();
        const { entries, numbers } = await importCatalogue(env, file, {
          maxErrors,
          dryRun: values['dry-run'] === true,
          onProgress: ({ stage, done, of }) => progress(stage === 'read' ? 'Reading' : 'Storing', done, of),
          record: (db, { entries, numbers }) => recordStock({ ...env, db }, 'catalogue.imported', { entries, numbers }),
        });
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        if (values['dry-run']) return out(`Nothing is wrong: ${entries} catalogue entries and ${numbers} numbers.`);
        out(`Imported ${entries} catalogue entries and ${numbers} numbers in ${seconds} s.`);
      });
    },
  }),
  defineCommand({
    name: 'catalogue export',
    json: false,
    summary: 'Write what "catalogue import" reads: the whole catalogue as JSON lines, or the numbers as CSV.',
    options: {
      ...environmentOptions,
      to: {
        type: 'string',
        value: 'FILE',
        summary: 'a .jsonl or .csv file; standard output as JSON lines when left out',
      },
    },
    run: ({ values }) => {
      const { to } = values;
      if (to !== undefined && !/\.(jsonl|csv)$/.test(to)) throw new OperatorError(`${to} must end in .jsonl or .csv.`);
      return withEnvironment(values, (env) =>
        exportCatalogue(
          env,
          to?.endsWith('.csv') ? 'csv' : 'jsonl',
          to === undefined ? process.stdout : createWriteStream(to),
        ),
      );
    },
  }),
  defineCommand({
    name: 'catalogue generate',
    summary: 'Add made-up numbers to the stock, for trials and benchmarks.',
    options: {
      ...environmentOptions,
      numbers: { type: 'string', value: 'N', summary: 'how many' },
    },
    notes: 'They are valid in their countries and may belong to somebody: never offer them to customers.',
    run: ({ values, out }) => {
      const count = option('numbers', values.numbers, wholeNumber(1, 999_999_999));
      if (count === undefined) throw new OperatorError('--numbers is missing.');
      return withEnvironment(values, async (env) => {
        const progress = showProgress();
        const { numbers, groups } = await generateNumbers(env, count, {
          onProgress: ({ numbers: done, of }) => progress('Generating', done, of),
          record: (db, after) => recordStock({ ...env, db }, 'catalogue.generated', { ...after }),
        });
        out(`Added ${numbers} numbers to ${groups} groups.`);
      });
    },
  }),
  environmentCommand({
    name: 'catalogue verify',
    summary: 'Prove that the counts of the stock equal the numbers in it.',
    options: {
      repair: { type: 'boolean', summary: 'count anew what is wrong' },
    },
    run: async ({ env, values, out }) => {
      const blocks = await verifyStockBlocks(env.db);
      if (blocks.length > 0 && values.repair) {
        const groups = [...new Set(blocks.map((block) => block.did_group_id))];
        await inTransaction(env.db, async (db) => {
          await rebuildStockBlocks(db, groups);
          await recordStock({ ...env, db }, 'catalogue.repaired', { blocks: blocks.length });
        });
        out(`Counted ${blocks.length} blocks anew.`);
      }
      const wrongBlocks = values.repair ? 0 : blocks.length;
      const wrongShelves = (await verifyStockShelves(env.db)).length;
      if (wrongBlocks + wrongShelves > 0) {
        throw new OperatorError(`The counts of ${wrongBlocks} blocks and ${wrongShelves} shelves are wrong.`);
      }
      out('Every count is right.');
    },
  }),
];

/** Writes the entry of the audit log in the transaction of a change that opens its own. */
function recordStock(env: Environment, action: AuditAction, after: Record<string, unknown>): Promise<void> {
  const { by, source = null } = atCommandLine(env);
  return writeAudit(env.db, {
    ...{ by, source, at: env.clock.now(), action, accountId: null, after },
    subject: { type: 'catalogue', id: env.name },
  });
}
