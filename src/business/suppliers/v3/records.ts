/** What is asked of each type of a supplier's `/v3`, and what it becomes for us. */
import { type Static, shape } from '../../../engines/typed-schema.ts';
import type { HeldNumber, SupplierCountry, SupplierGroup, SupplierOrder, SupplierReservation } from '../supplier.ts';
import { decimal, type IncludedRecords, nullable, recordOf } from './documents.ts';

const moment = shape.string({ format: 'date-time' });
const named = { name: shape.string({ minLength: 1 }) };

export const balance = recordOf('balances', { total_balance: decimal });

export const country = recordOf('countries', {
  ...named,
  iso: shape.string({ pattern: '^[A-Z]{2}$' }),
  prefix: nullable(shape.string({ pattern: '^[1-9]\\d{0,3}$' })),
});
export const countryFrom = ({ id, attributes: { name, iso, prefix } }: Static<typeof country>): SupplierCountry => ({
  ...{ id, name, iso, prefix },
});

const region = recordOf('regions', { ...named, iso: nullable(shape.string({ pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$' })) });
const city = recordOf('cities', named);
const groupType = recordOf('did_group_types', named);
const price = shape.string({ pattern: '^\\d{1,8}(\\.\\d{1,4})?$' });
const offer = recordOf('stock_keeping_units', {
  setup_price: price,
  monthly_price: price,
  channels_included_count: shape.integer({ minimum: 0, maximum: 100_000 }),
});

export const group = recordOf(
  'did_groups',
  {
    prefix: shape.string({ pattern: '^\\d{0,10}$' }),
    area_name: shape.string({ minLength: 1 }),
    features: shape.array(shape.string()),
    is_metered: shape.boolean(),
    allow_additional_channels: shape.boolean(),
    service_restrictions: nullable(shape.string()),
  },
  {
    meta: shape.object({
      available_dids_enabled: shape.boolean(),
      needs_registration: shape.boolean(),
      is_available: shape.boolean(),
      total_count: shape.integer({ minimum: 0, maximum: 2_147_483_647 }),
    }),
  },
);

/** What is included with groups. */
export const ofGroups = 'country,region,city,did_group_type,stock_keeping_units';

/** Throws if it is not whole: a group without a country, a kind or an offer cannot be sold. */
export function groupFrom(found: Static<typeof group>, included: IncludedRecords): SupplierGroup {
  const { id, attributes, meta } = found;
  const [countryOfGroup] = included.related(found, 'country', country, 'countries');
  const [type] = included.related(found, 'did_group_type', groupType, 'did_group_types');
  const [regionOfGroup] = included.related(found, 'region', region, 'regions');
  const [cityOfGroup] = included.related(found, 'city', city, 'cities');
  if (countryOfGroup === undefined || type === undefined) throw new Error(`did_groups ${id} has no country or no type`);
  const offers = included.related(found, 'stock_keeping_units', offer, 'stock_keeping_units');
  return {
    ...{ id, country: countryFrom(countryOfGroup), type: type.attributes.name, prefix: attributes.prefix },
    region: regionOfGroup?.attributes ?? null,
    city: cityOfGroup?.attributes.name ?? null,
    areaName: attributes.area_name,
    features: attributes.features,
    isMetered: attributes.is_metered,
    allowAdditionalChannels: attributes.allow_additional_channels,
    serviceRestrictions: attributes.service_restrictions || null,
    picksNumbers: meta.available_dids_enabled,
    needsRegistration: meta.needs_registration,
    isAvailable: meta.is_available,
    stock: meta.total_count,
    offers: offers.map(({ id: offerId, attributes: { setup_price, monthly_price, channels_included_count } }) => ({
      ...{ id: offerId, channels: channels_included_count, setupPrice: setup_price, monthlyPrice: monthly_price },
    })),
  };
}

const number = shape.string({ pattern: '^[1-9]\\d{5,14}$' });

export const availableDid = recordOf('available_dids', { number });

export const reservation = recordOf('did_reservations', {
  expires_at: moment,
  description: nullable(shape.string()),
});
export const reservationFrom = ({ id, attributes }: Static<typeof reservation>): SupplierReservation => ({
  ...{ id, expiresAt: new Date(attributes.expires_at) },
});

export const order = recordOf('orders', {
  reference: shape.string(),
  status: shape.word(['pending', 'completed', 'canceled']),
  amount: decimal,
});
export const orderFrom = ({ id, attributes: { reference, status, amount } }: Static<typeof order>): SupplierOrder => ({
  ...{ id, reference, status, amount },
});

export const did = recordOf('dids', {
  number,
  blocked: shape.boolean(),
  awaiting_registration: shape.boolean(),
  terminated: shape.boolean(),
  billing_cycles_count: nullable(shape.integer()),
  expires_at: nullable(moment),
});
export const heldNumberFrom = ({ id, attributes }: Static<typeof did>): HeldNumber => ({
  ...{ id, number: attributes.number, blocked: attributes.blocked, terminated: attributes.terminated },
  awaitingRegistration: attributes.awaiting_registration,
  billingCycles: attributes.billing_cycles_count,
  expiresAt: attributes.expires_at === null ? null : new Date(attributes.expires_at),
});
