/** One search over all types: a part of a number, a reference, an e-mail address, a name or an id. */
import type { FastifyInstance } from 'fastify';
import { ApiError, errors } from '../jsonapi/errors.ts';
import { isUuid } from '../uuid.ts';
import { requireRole } from './context.ts';
import { escapeLike } from './lookups/common.ts';
import { type ContextOf, ownMedia, parametersOf } from './own-route.ts';

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
  readonly byId: string;
}

const sources: readonly Source[] = [
  {
    type: 'accounts',
    from: 'accounts t',
    title: 't.name',
    account: 't.id',
    byText: 'lower(t.name) like $1 or lower(t.email) like $1',
    byId: 't.id = $1',
  },
  {
    type: 'numbers',
    from: 'dids t',
    title: 't.number',
    account: 't.account_id',
    byText: `t.number like $1 and $2 ~ '[0-9]{3}'`,
    byId: 't.id = $1',
  },
  {
    type: 'orders',
    from: 'orders t',
    title: 't.reference',
    account: 't.account_id',
    byText: 't.reference like upper($1) or t.external_reference_id = $2',
    byId: 't.id = $1',
  },
  {
    type: 'operators',
    from: 'operators t',
    title: 't.email',
    account: 'null::uuid',
    byText: 'lower(t.email) like $1',
    byId: 't.id = $1',
  },
  { type: 'verifications', from: 'verifications t', title: 't.status', account: 't.account_id', byId: 't.id = $1' },
  { type: 'deliveries', from: 'deliveries t', title: 't.kind', account: 't.account_id', byId: 't.id = $1' },
  { type: 'uploads', from: 'encrypted_files t', title: `'upload'`, account: 't.account_id', byId: 't.id = $1' },
  { type: 'adjustments', from: 'adjustments t', title: 't.kind', account: 't.account_id', byId: 't.id = $1' },
];

/** Operators are shown to owners only, as everywhere. */
export function searchRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/search', { config: ownMedia }, async (request, reply) => {
    const context = contextOf(request);
    requireRole(context, 'search', 'read');
    const { q } = parametersOf(request, 'q');
    if (q.length < shortest) throw new ApiError([errors.invalidFieldValue(q, 'q')]);
    const isId = isUuid(q);
    const readable = sources.filter(({ type }) => type !== 'operators' || context.operator.role === 'owner');
    const asked = readable.filter(({ byText }) => isId || byText !== undefined);
    const values = isId ? [q] : [`%${escapeLike(q.replace(/^\+/, '').toLowerCase())}%`, q];
    const found = await Promise.all(
      asked.map(({ type, from, title, account, byText, byId }) =>
        context.query(
          `select '${type}' as type, t.id, ${title} as title, ${account} as account_id
           from ${from} where ${isId ? byId : `(${byText})${byText?.includes('$2') ? '' : ' and $2::text is not null'}`}
           order by 3 limit ${mostOfAType}`,
          values,
        ),
      ),
    );
    return reply.header('cache-control', 'no-store').send({ results: found.flat() });
  });
}
