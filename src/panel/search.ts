/**
 * `GET /panel/v1/search?q=…`: records of the account that contain a text, for ⌘K and for lists whose public interface finds
 * whole values only. With `type` it returns up to 100 of that type, else a few of each.
 */
import type { FastifyInstance } from 'fastify';
import { ApiError, errors } from '../jsonapi/errors.ts';
import { callerOf } from '../platform/context.ts';
import { orderable } from '../platform/did-groups/availability.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

interface Searched {
  /** The rows: `id`, `label`, `about`, and what is searched; `$1` is the account. */
  rows: string;
  /** Columns that are searched for the text, and those for digits alone. */
  words: readonly string[];
  digits: readonly string[];
  order: string;
}

const searched: Readonly<Record<string, Searched>> = {
  dids: {
    rows: `select d.id, '+' || d.number as label, coalesce(d.description, 'Number') as about, d.number, d.description,
             d.created_at
           from dids d where d.account_id = $1`,
    words: ['description'],
    digits: ['number'],
    order: 'created_at desc',
  },
  did_groups: {
    rows: `select g.id, g.area_name as label, concat_ws(' ', 'Numbers of', c.name) as about, g.area_name
           from did_groups g join countries c on c.id = g.country_id where $1::uuid is not null and ${orderable('g')}`,
    words: ['area_name'],
    digits: [],
    order: 'label, about, id',
  },
  orders: {
    rows: `select id, reference as label, description as about, reference, external_reference_id, created_at
           from orders where account_id = $1`,
    words: ['reference', 'external_reference_id'],
    digits: [],
    order: 'created_at desc',
  },
  voice_in_trunks: {
    rows: `select id, name as label, coalesce(description, 'Inbound trunk') as about, name, description,
             configuration ->> 'host' as host, configuration ->> 'dst' as dst
           from voice_in_trunks where account_id = $1`,
    words: ['name', 'description', 'host'],
    digits: ['dst'],
    order: 'name',
  },
  voice_in_trunk_groups: {
    rows: `select id, name as label, 'Trunk group' as about, name from voice_in_trunk_groups where account_id = $1`,
    words: ['name'],
    digits: [],
    order: 'name',
  },
  voice_out_trunks: {
    rows: `select id, name as label, 'Outbound trunk' as about, name from voice_out_trunks where account_id = $1`,
    words: ['name'],
    digits: [],
    order: 'name',
  },
  shared_capacity_groups: {
    rows: `select id, name as label, 'Capacity group' as about, name from shared_capacity_groups where account_id = $1`,
    words: ['name'],
    digits: [],
    order: 'name',
  },
  calls: {
    rows: `select id, src_number || ' → +' || did_number as label, 'Inbound call' as about, src_number, did_number,
             call_id, time_start
           from cdrs_in where account_id = $1 and is_last`,
    words: ['call_id'],
    digits: ['src_number', 'did_number'],
    order: 'time_start desc',
  },
  outbound_calls: {
    rows: `select id, src_number || ' → +' || dst_number as label, 'Outbound call by ' || voice_out_trunk_name as about,
             src_number, dst_number, call_id, time_start
           from cdrs_out where account_id = $1`,
    words: ['call_id'],
    digits: ['src_number', 'dst_number'],
    order: 'time_start desc',
  },
  identities: {
    rows: `select id, concat_ws(' ', first_name, last_name) as label, coalesce(company_name, 'Identity') as about,
             concat_ws(' ', first_name, last_name) as name, company_name, created_at
           from identities where account_id = $1`,
    words: ['name', 'company_name'],
    digits: [],
    order: 'created_at desc',
  },
  otp_applications: {
    rows: `select id, name as label, 'OTP application' as about, name, key::text as key
           from otp_applications where account_id = $1 and deleted_at is null`,
    words: ['name', 'key'],
    digits: [],
    order: 'name',
  },
};

const fewest = 2;
const longest = 100;

export function searchRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/search', { config: plain }, async (request, reply) => {
    const context = contextOf(request);
    const { q = '', type } = parametersOf(request, ['q', 'type']);
    const text = q.trim().slice(0, longest);
    if (text.length < fewest) throw new ApiError([errors.invalidFieldValue(q, 'q')]);
    if (type !== undefined && !Object.hasOwn(searched, type)) {
      throw new ApiError([errors.invalidFieldValue(type, 'type')]);
    }
    const types = type === undefined ? Object.keys(searched) : [type];
    const limit = type === undefined ? 5 : 100;
    const found = await Promise.all(
      types.map(async (name) => {
        const statement = statementOf(searched[name], text, limit);
        if (statement === null) return [];
        const values = [callerOf(context).accountId, ...statement.values];
        const rows = await context.query(statement.text, values);
        return rows.map(({ id, label, about }) => ({ type: name, id, label, about }));
      }),
    );
    return reply.send({ results: found.flat() });
  });
}

/** Null if the text can match nothing: letters where only digits are searched. */
function statementOf(what: Searched | undefined, text: string, limit: number) {
  if (what === undefined) return null;
  const digits = /^[\d\s()+./-]+$/.test(text) ? text.replace(/\D/g, '') : '';
  const conditions = [
    ...what.words.map((column) => `position(lower($2) in lower(${column})) > 0`),
    ...(digits === '' ? [] : what.digits.map((column) => `position($3 in ${column}) > 0`)),
  ];
  if (conditions.length === 0) return null;
  return {
    text: `select id, label, about from (${what.rows}) t
           where $2::text is not null and $3::text is not null and (${conditions.join(' or ')})
           order by ${what.order} limit ${limit}`,
    values: [text, digits],
  };
}
