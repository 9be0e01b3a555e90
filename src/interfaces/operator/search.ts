/** One search over all types: a part of a number, a reference, an e-mail address or a name, an id or its beginning. */
import type { FastifyInstance } from 'fastify';
import { planEachTime } from '../../engines/db/prepared.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { escapeLike } from './lookups/shared-filters.ts';
import { type ContextOf, ownMedia, parametersOf } from './own-route.ts';
import { rolesFor } from './roles.ts';

const mostOfAType = 10;
const shortest = 3;

interface Source {
  /** The type of the found records, and SQL for their title and account. */
  readonly type: string;
  readonly from: string;
  readonly title: string;
  readonly account: string;
  /** The condition for a text; `$1` is the pattern of a part in small letters, `$2` the text itself. */
  readonly byText?: string;
}

const sources: readonly Source[] = [
  {
    type: 'accounts',
    from: 'accounts t',
    title: 't.name',
    account: 't.id',
    byText: 'lower(t.name) like $1 or lower(t.email) like $1',
  },
  {
    type: 'numbers',
    from: 'dids t',
    title: 't.number',
    account: 't.account_id',
    byText: `t.number like $1 and $2 ~ '[0-9]{3}'`,
  },
  {
    type: 'orders',
    from: 'orders t',
    title: 't.reference',
    account: 't.account_id',
    byText: 't.reference like upper($1) or t.external_reference_id = $2',
  },
  {
    type: 'operators',
    from: 'operators t',
    title: 't.email',
    account: 'null::uuid',
    byText: 'lower(t.email) like $1',
  },
  { type: 'verifications', from: 'verifications t', title: `'+' || t.destination`, account: 't.account_id' },
  { type: 'deliveries', from: 'deliveries t', title: 't.kind', account: 't.account_id' },
  { type: 'uploads', from: 'encrypted_files t', title: `'upload'`, account: 't.account_id' },
  { type: 'adjustments', from: 'adjustments t', title: 't.kind', account: 't.account_id' },
];

/** Operators are shown to owners only, as everywhere. */
export function searchRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/search', { config: ownMedia('search') }, async (request, reply) => {
    const context = contextOf(request);
    const { q } = parametersOf(request, 'q');
    if (q.length < shortest) throw new ApiError([errors.invalidFieldValue(q, 'q')]);
    const readable = sources.filter(({ type }) => rolesFor(type, 'list').includes(context.operator.role));
    const select = ({ type, from, title, account }: Source, condition: string, values: readonly string[]) =>
      context.query(
        `select '${type}' as type, t.id, ${title} as title, ${account} as account_id
         from ${from} where ${condition} order by 3 limit ${mostOfAType}`,
        [...values],
      );
    const ids = idsThatBeginWith(q);
    const text = [`%${escapeLike(q.replace(/^\+/, '').toLowerCase())}%`, q];
    const found = await Promise.all(
      readable.flatMap((source) => [
        ...(ids === null ? [] : [select(source, 't.id between $1 and $2', ids)]),
        ...(source.byText === undefined
          ? []
          : [select(source, `${planEachTime} (${source.byText}) and $2::text is not null`, text)]),
      ]),
    );
    return reply.header('cache-control', 'no-store').send({ results: found.flat() });
  });
}

/** The first and the last id that begin so, if it has the first 8 digits or more: an index finds all between them. */
function idsThatBeginWith(text: string): [string, string] | null {
  if (!/^[0-9a-f]{8}[0-9a-f-]{0,28}$/i.test(text)) return null;
  const digits = text.replaceAll('-', '').slice(0, 32);
  return [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
}
