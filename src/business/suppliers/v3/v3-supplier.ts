/** A supplier that serves `/v3`: a hosted service, or another Trunkline. */
import { chainHeader } from '../chain.ts';
import type { SupplierLine } from '../line.ts';
import type { Outcome } from '../outcome.ts';
import type { NewSupplierOrder, Page, PageOf, Supplier } from '../supplier.ts';
import { readCollection, readRefusal, readSingle } from './documents.ts';
import * as records from './records.ts';
import { apiVersion, type Interface } from './wire.ts';

type Reads = Interface['reads'];
type Writes = Interface['writes'];
type Body<O extends keyof Writes> = Writes[O] extends { body: infer B } ? B : undefined;
type Query = Readonly<Record<string, string | number | undefined>>;

interface V3Settings {
  readonly line: SupplierLine;
  readonly apiKey: string;
  /** The installations that what is bought here is for: ourselves, then those that buy from us. */
  readonly chain: readonly string[];
}

const mediaType = 'application/vnd.api+json';

export function v3Supplier({ line, apiKey, chain }: V3Settings): Supplier {
  const headers = {
    accept: mediaType,
    'api-key': apiKey,
    'x-service-api-version': apiVersion,
    [chainHeader]: chain.join(','),
  };
  const get = <R extends keyof Reads & string, T>(
    route: R,
    { id, ...query }: Query & { id?: string },
    read: (body: Buffer) => T,
  ) => line.send({ method: 'GET', path: pathOf(route, id, query), headers, read, refusal: readRefusal });
  const send = <O extends keyof Writes & string, T>(
    operation: O,
    { id, key, body }: { id?: string; key?: string; body: Body<O> },
    read: (body: Buffer) => T,
  ): Promise<Outcome<T>> => {
    const [method = '', route = ''] = operation.split(' ');
    return line.send({
      method: method as 'POST' | 'PATCH' | 'DELETE',
      path: pathOf(route, id, {}),
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': mediaType }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      read,
      refusal: readRefusal,
    });
  };
  return {
    account: () =>
      get('/v3/balance', {}, (body) => ({
        spendable: readSingle(records.balance)(body).attributes.total_balance,
      })),
    countries: () =>
      get('/v3/countries', {}, (body) => readCollection(records.country)(body).records.map(records.countryFrom)),
    groups: (countryIds, page) =>
      get(
        '/v3/did_groups',
        {
          ...{ 'filter[country.id]': countryIds.join(','), include: records.ofGroups },
          // What is not asked for needs not be written, sent and read.
          ...{ 'fields[cities]': 'name', 'fields[regions]': 'name,iso', ...paged(page) },
        },
        (body) => {
          const { records: found, included, total } = readCollection(records.group)(body);
          return { items: found.map((one) => records.groupFrom(one, included)), total };
        },
      ),
    availableNumbers: ({ groupId, contains }, page) =>
      get(
        '/v3/available_dids',
        { 'filter[did_group.id]': groupId, 'filter[number_contains]': contains, ...paged(page) },
        (body) => {
          const { records: found, total } = readCollection(records.availableDid)(body);
          return { items: found.map(({ id, attributes: { number } }) => ({ id, number })), total };
        },
      ),
    reserve: (numberId, key) =>
      send(
        'POST /v3/did_reservations',
        {
          key,
          body: {
            data: {
              type: 'did_reservations',
              attributes: { description: key },
              relationships: { available_did: { data: { type: 'available_dids', id: numberId } } },
            },
          },
        },
        (body) => records.reservationFrom(readSingle(records.reservation)(body)),
      ),
    reservationsWith: (key) =>
      get('/v3/did_reservations', { 'filter[description]': key }, (body) =>
        readCollection(records.reservation)(body)
          .records.filter(({ attributes }) => attributes.description === key)
          .map(records.reservationFrom),
      ),
    release: (id) => send('DELETE /v3/did_reservations/{id}', { id, body: undefined }, () => null),
    placeOrder: (order, key) => send('POST /v3/orders', { key, body: orderBody(order) }, orderIn),
    order: (id) => get('/v3/orders/{id}', { id }, orderIn),
    ordersWith: (reference) =>
      get('/v3/orders', { 'filter[external_reference_id]': reference }, (body) =>
        readCollection(records.order)(body).records.map(records.orderFrom),
      ),
    cancelOrder: (id) => send('DELETE /v3/orders/{id}', { id, body: undefined }, () => null),
    heldNumbers: ({ orderId }, page) =>
      get('/v3/dids', { 'filter[order.id]': orderId, sort: 'number', ...paged(page) }, (body): Page<HeldNumberOf> => {
        const { records: found, total } = readCollection(records.did)(body);
        return { items: found.map(records.heldNumberFrom), total };
      }),
    changeNumber: (id, { billingCycles, terminated, inboundTrunkId }) =>
      send(
        'PATCH /v3/dids/{id}',
        {
          id,
          body: {
            data: {
              ...{ type: 'dids', id },
              attributes: {
                ...(billingCycles === undefined ? {} : { billing_cycles_count: billingCycles }),
                ...(terminated === undefined ? {} : { terminated }),
              },
              ...(inboundTrunkId === undefined ? {} : { relationships: { voice_in_trunk: trunkData(inboundTrunkId) } }),
            },
          },
        },
        (body) => records.heldNumberFrom(readSingle(records.did)(body)),
      ),
  };
}

type HeldNumberOf = ReturnType<typeof records.heldNumberFrom>;

const orderIn = (body: Buffer) => records.orderFrom(readSingle(records.order)(body));

const trunkData = (id: string | null) => ({ data: id === null ? null : { type: 'voice_in_trunks' as const, id } });

const orderBody = ({ items, reference, callbackUrl, allowsBackOrder }: NewSupplierOrder): Body<'POST /v3/orders'> => ({
  data: {
    type: 'orders',
    attributes: {
      external_reference_id: reference,
      allow_back_ordering: allowsBackOrder,
      ...(callbackUrl === null ? {} : { callback_url: callbackUrl, callback_method: 'post' }),
      items: items.map(({ offerId, ...what }) => ({
        type: 'did_order_items',
        attributes: {
          sku_id: offerId,
          ...('quantity' in what ? { qty: what.quantity } : { did_reservation_id: what.reservationId }),
        },
      })),
    },
  },
});

const paged = ({ number, size }: PageOf) => ({ 'page[number]': number, 'page[size]': size });

/** The address of a supplier ends in `/v3` already. */
function pathOf(route: string, id: string | undefined, query: Query): string {
  const path = route.slice('/v3'.length).replace('{id}', encodeURIComponent(id ?? ''));
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  );
  return given.length === 0 ? path : `${path}?${given.join('&')}`;
}
