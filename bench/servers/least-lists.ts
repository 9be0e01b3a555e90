/** The lists of the peer with the least SQL. Its tables are made by `bench/wire.ts`. */
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { typedDecimal } from './bare-did-groups.ts';
import { groupObject, links } from './bare-documents.ts';

const groupColumns = `t.id, t.prefix, t.area_name, t.features, t.is_metered, t.allow_additional_channels, t.service_restrictions,
  t.country_id, t.did_group_type_id, t.available_dids_enabled, t.needs_registration, c.is_available, c.total_count`;
const groupsById = `select ${groupColumns} from did_groups t join least_groups c on c.id = t.id where t.id = any($1::uuid[])`;
const groups = `select ${groupColumns} from did_groups t join least_groups c on c.id = t.id order by t.id limit 50`;
const total = 'select total from least_totals where name = $1';
const countries = 'select id, name, prefix, iso from countries where id = any($1::uuid[])';
const types = 'select id, name from did_group_types where id = any($1::uuid[])';
const units = `select id, setup_price, monthly_price, channels_included_count, did_group_id from stock_keeping_units
  where did_group_id = any($1::uuid[]) order by channels_included_count, id`;
const numbers = 'select id, number, did_group_id from least_numbers order by position limit 50';
const owned = `select id, number, description, terminated or awaiting_registration or blocked_by_staff as blocked, awaiting_registration,
  terminated, emergency_enabled, capacity_limit, channels_included_count, dedicated_channels_count, billing_cycles_count, created_at,
  expires_at, voice_in_trunk_id, did_group_id from dids where account_id = $1 and activated_at is not null order by number limit 50`;
const trunks = `select t.id, t.name, t.description, t.external_reference_id, t.priority, t.weight, t.capacity_limit, t.cli_format,
  t.cli_prefix, t.ringing_timeout, t.created_at, t.configuration_type, c.configuration
  from voice_in_trunks t join least_configurations c on c.trunk_id = t.id where t.id = any($1::uuid[])`;

const distinct = (ids: string[]): string[][] => [[...new Set(ids)]];

export function registerLeastLists(app: FastifyInstance, pool: Pool): void {
  const run = async (name: string, text: string, values: unknown[]) => (await pool.query({ name, text, values })).rows;
  const list = (
    path: string,
    answer: (base: string) => Promise<{ data: object[]; included: object[]; total: number; query: string }>,
  ) =>
    app.get(path, async (request, reply) => {
      const base = `${request.protocol}://${request.host}/v3`;
      const { data, included, total: all, query } = await answer(base);
      const page = (number: number) =>
        `${request.protocol}://${request.host}${path}?${query}&page%5Bnumber%5D=${number}&page%5Bsize%5D=50`;
      reply.header('content-type', 'application/vnd.api+json');
      return JSON.stringify({
        data,
        included,
        meta: {
          total_records: all,
          ...(path.endsWith('available_dids') ? { total_count: all } : {}),
          api_version: '2026-04-16',
        },
        links: { first: page(1), next: page(2), last: page(Math.ceil(all / 50)) },
      });
    });

  list('/v3/available_dids', async (base) => {
    const [rows, [counted]] = await Promise.all([run('numbers', numbers, []), run('total', total, ['available_dids'])]);
    const found = await run('groups_by_id', groupsById, distinct(rows.map((row) => row.did_group_id)));
    return {
      data: rows.map((row) => ({
        id: row.id,
        type: 'available_dids',
        attributes: { number: row.number },
        relationships: {
          did_group: {
            ...links(base, 'available_dids', row.id, 'did_group'),
            data: { type: 'did_groups', id: row.did_group_id },
          },
          nanpa_prefix: links(base, 'available_dids', row.id, 'nanpa_prefix'),
        },
      })),
      included: found.map((group) => groupObject(base, group)),
      total: counted.total,
      query: 'include=did_group',
    };
  });

  list('/v3/did_groups', async (base) => {
    const [rows, [counted]] = await Promise.all([run('groups', groups, []), run('total', total, ['did_groups'])]);
    const [places, kinds, offers] = await Promise.all([
      run('countries', countries, distinct(rows.map((row) => row.country_id))),
      run('types', types, distinct(rows.map((row) => row.did_group_type_id))),
      run('units', units, [rows.map((row) => row.id)]),
    ]);
    const offersOf = Map.groupBy(offers, (offer) => offer.did_group_id);
    return {
      data: rows.map((row) =>
        groupObject(base, row, {
          country: { type: 'countries', id: row.country_id },
          did_group_type: { type: 'did_group_types', id: row.did_group_type_id },
          stock_keeping_units: (offersOf.get(row.id) ?? []).map(({ id }) => ({ type: 'stock_keeping_units', id })),
        }),
      ),
      included: [
        ...places.map(({ id, name, prefix, iso }) => ({
          id,
          type: 'countries',
          attributes: { name, prefix, iso },
          relationships: { regions: links(base, 'countries', id, 'regions') },
        })),
        ...kinds.map(({ id, name }) => ({ id, type: 'did_group_types', attributes: { name } })),
        ...offers.map(({ id, setup_price, monthly_price, channels_included_count }) => ({
          id,
          type: 'stock_keeping_units',
          attributes: {
            setup_price: typedDecimal(setup_price),
            monthly_price: typedDecimal(monthly_price),
            channels_included_count,
          },
        })),
      ],
      total: counted.total,
      query: 'include=country%2Cdid_group_type%2Cstock_keeping_units',
    };
  });

  list('/v3/dids', async (base) => {
    const account = process.env.LEAST_ACCOUNT;
    const [rows, [counted]] = await Promise.all([run('owned', owned, [account]), run('total', total, ['dids'])]);
    const [routes, found] = await Promise.all([
      run('trunks', trunks, distinct(rows.map((row) => row.voice_in_trunk_id))),
      run('groups_by_id', groupsById, distinct(rows.map((row) => row.did_group_id))),
    ]);
    return {
      data: rows.map((row) => ownedNumber(base, row)),
      included: [...routes.map((row) => trunk(base, row)), ...found.map((group) => groupObject(base, group))],
      total: counted.total,
      query: 'include=voice_in_trunk%2Cdid_group',
    };
  });
}

const plainLinks = [
  'order',
  'voice_in_trunk',
  'voice_in_trunk_group',
  'capacity_pool',
  'shared_capacity_group',
  'address_verification',
];
const furtherLinks = ['emergency_calling_service', 'emergency_verification', 'identity'];

function ownedNumber(base: string, { id, voice_in_trunk_id, did_group_id, ...attributes }: Record<string, string>) {
  const relationships: Record<string, object> = {
    did_group: { ...links(base, 'dids', id ?? '', 'did_group'), data: { type: 'did_groups', id: did_group_id } },
  };
  for (const name of [...plainLinks, ...furtherLinks]) relationships[name] = links(base, 'dids', id ?? '', name);
  relationships.voice_in_trunk = {
    ...relationships.voice_in_trunk,
    data: { type: 'voice_in_trunks', id: voice_in_trunk_id },
  };
  return { id, type: 'dids', attributes, relationships };
}

function trunk(base: string, { id, configuration_type, configuration, ...attributes }: Record<string, string>) {
  return {
    id,
    type: 'voice_in_trunks',
    attributes: { ...attributes, configuration: { type: configuration_type, attributes: configuration } },
    relationships: {
      voice_in_trunk_group: links(base, 'voice_in_trunks', id ?? '', 'voice_in_trunk_group'),
      pop: links(base, 'voice_in_trunks', id ?? '', 'pop'),
    },
  };
}
