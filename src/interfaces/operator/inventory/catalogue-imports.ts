/**
 * Catalogue files that are imported over HTTP: handed in, checked and stored by a job, with progress and invalid lines.
 */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../../base/uuid.ts';
import { boolean, dateTime, integer, list, text } from '../../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { anyOf, flag } from '../../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween, partOfText } from '../lookups/shared-filters.ts';
import { type ContextOf, ownMedia } from '../own-route.ts';
import { receiveContent, requestImport } from './catalogue-imports.writes.ts';

const statuses = {
  awaiting_content: 'The file is still to be sent.',
  waiting: 'The file is here; the import begins as soon as a worker is free.',
  running: 'The file is read, or its numbers are stored.',
  done: 'Everything was imported; of a dry run: everything could be.',
  failed: 'Nothing was imported.',
};

/** A file that fits into the document; a larger one is sent to its own URL. */
const longestContent = 900_000;

export const catalogueImports = operatorType('catalogue_imports', {
  group: 'Inventory',
  noun: 'catalogue import',
  summary: 'A catalogue file, as docs/catalogue.md describes it: all of it is imported, or nothing.',
  attributes: {
    name: text({
      write: 'create',
      required: true,
      doc: 'Ends in `.csv`, `.json` or `.jsonl`, which decides how it is read.',
    }),
    dry_run: boolean({ write: 'create', doc: 'Checks everything and stores nothing (false if left out).' }),
    content: text({
      write: 'create',
      writeOnly: true,
      textLimit: longestContent,
      doc: 'The file, if it is small; otherwise it is sent to `/catalogue_imports/{id}/content`.',
    }),
    reason: text({ write: 'create', nullable: true, doc: 'Why; kept in the audit log.' }),
    status: text({ values: statuses, doc: 'How far it is.' }),
    size: integer({ doc: 'Bytes of the file.' }),
    progress: integer({ doc: 'Percent of the work.' }),
    entries: integer({ nullable: true, doc: 'Records that are not numbers, when it is done.' }),
    numbers: integer({ nullable: true, doc: 'Numbers, when it is done.' }),
    errors: list(
      { type: 'string' },
      {
        column: `array(select 'line ' || (e->>'line') || ': ' || (e->>'message') from jsonb_array_elements(t.errors) e)`,
        doc: 'The first invalid lines, and what is wrong with each.',
      },
    ),
    error_count: integer({ doc: 'How many lines are invalid.' }),
    problem: text({ nullable: true, doc: 'Why the whole file was refused.' }),
    actor: text({ doc: 'Who handed it in.' }),
    created_at: dateTime({ doc: 'When.' }),
    finished_at: dateTime({ nullable: true, doc: 'When it was done, or failed.' }),
  },
  filters: {
    status: anyOf('t.status', { values: statuses }),
    actor: anyOf('t.actor'),
    name_contains: partOfText('the name of the file', 't.name'),
    dry_run: flag('t.dry_run'),
    ...createdBetween,
  },
  sort: ['created_at'],
  defaultSort: '-created_at',
  create: (context, { attributes }) => {
    const { name, dry_run: dryRun = false, content = null, reason } = attributes;
    return refusing(() => requestImport(actingOf(context, reason), { name, dryRun, content }));
  },
});

/** The bytes are stored as they come, so that a file of any size needs no memory. */
export function importContentRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.put(
    '/catalogue_imports/:id/content',
    { config: ownMedia('catalogue_imports', 'create') },
    async (request, reply) => {
      const context = contextOf(request);
      const { id } = request.params as { id: string };
      const known =
        isUuid(id) &&
        (await context.env.db.selectFrom('catalogue_imports').select('id').where('id', '=', id).executeTakeFirst());
      if (!known) throw new ApiError([errors.recordNotFound(id)]);
      const size = await refusing(() => receiveContent(actingOf(context), id, request.raw));
      return reply.code(202).send({ id, status: 'waiting', size });
    },
  );
}
