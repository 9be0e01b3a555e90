/**
 * `GET /panel/v1/search?q=…`: records of the account that contain a text, for ⌘K and for lists whose public interface
 * finds whole values only. With `type` it returns up to 100 of that type, cities also of one `country`; else a few of
 * each.
 */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
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
  /** Found only when asked for by its type: no page of its own, so ⌘K cannot open it. */
  isChoice?: true;
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
           from did_groups g join countries c on c.id = g.country_id where $1::uuid is not null and ${orderable('g', 'environment_time.now()')}`,
    words: ['area_name'],
    digits: [],
    order: 'label, about, id',
  },
  cities: {
    rows: `select c.id, c.name as label, n.name as about, c.name, c.country_id
           from cities c join countries n on n.id = c.country_id where $1::uuid is not null`,
    words: ['name'],
    digits: [],
    order: 'name, id',
    isChoice: true,
  },
  addresses: {
    rows: `select id, concat_ws(', ', address, postal_code, city_name) as label, 'Address' as about,
             concat_ws(' ', address, postal_code, city_name) as text, country_id, created_at
           from addresses where account_id = $1 and hidden_at is null`,
    words: ['text'],
    digits: [],
    order: 'created_at desc',
    isChoice: true,
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
  app.get('/search', { config: plain('search') }, async (request, reply) => {
    const context = contextOf(request);
    const { q = '', type, country } = parametersOf(request, ['q', 'type', 'country']);
    const text = q.trim().slice(0, longest);
    if (text.length < fewest) throw new ApiError([errors.invalidFieldValue(q, 'q')]);
    if (type !== undefined && !Object.hasOwn(searched, type)) {
      throw new ApiError([errors.invalidFieldValue(type, 'type')]);
    }
    if (country !== undefined && !(type === 'cities' && isUuid(country))) {
      throw new ApiError([errors.invalidFieldValue(country, 'country')]);
    }
    const types = type === undefined ? Object.keys(searched).filter((name) => !searched[name]?.isChoice) : [type];
    const limit = type === undefined ? 5 : 100;
    const found = await Promise.all(
      types.map(async (name) => {
        const statement = statementOf(searched[name], { text, limit, country });
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
function statementOf(what: Searched | undefined, wanted: { text: string; limit: number; country: string | undefined }) {
  if (what === undefined) return null;
  const { text, limit, country } = wanted;
  const digits = /^[\d\s()+./-]+$/.test(text) ? text.replace(/\D/g, '') : '';
  const conditions = [
    ...what.words.map((column) => `position(lower($2) in lower(${column})) > 0`),
    ...(digits === '' ? [] : what.digits.map((column) => `position($3 in ${column}) > 0`)),
  ];
  if (conditions.length === 0) return null;
  return {
    text: `select id, label, about from (${what.rows}) t
           where $2::text is not null and $3::text is not null and (${conditions.join(' or ')})
             ${country === undefined ? '' : 'and country_id = $4::uuid'}
           order by ${what.order} limit ${limit}`,
    values: [text, digits, ...(country === undefined ? [] : [country])],
  };
}
