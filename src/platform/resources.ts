import { balances } from './account/balances.ts';
import { capacityPools } from './capacity/capacity-pools.ts';
import { qtyBasedPricings } from './capacity/qty-based-pricings.ts';
import { sharedCapacityGroups } from './capacity/shared-capacity-groups.ts';
import { areas } from './coverage/areas.ts';
import { cities } from './coverage/cities.ts';
import { countries } from './coverage/countries.ts';
import { nanpaPrefixes } from './coverage/nanpa-prefixes.ts';
import { pops } from './coverage/pops.ts';
import { regions } from './coverage/regions.ts';
import type { PlatformResource } from './declare.ts';
import { availableDids } from './did-groups/available-dids.ts';
import { didGroupTypes } from './did-groups/did-group-types.ts';
import { didGroups } from './did-groups/did-groups.ts';
import { stockKeepingUnits } from './did-groups/stock-keeping-units.ts';
import { didHistory } from './dids/did-history.ts';
import { dids } from './dids/dids.ts';
import { emergencyResources } from './emergency/resources.ts';
import { exports } from './exports/exports.ts';
import { voiceInTrunkGroups } from './inbound-trunks/voice-in-trunk-groups.ts';
import { voiceInTrunks } from './inbound-trunks/voice-in-trunks.ts';
import { orders } from './orders/orders.ts';
import { voiceOutTrunkRegenerateCredentials } from './outbound-trunks/regenerate-credentials.ts';
import { voiceOutTrunks } from './outbound-trunks/voice-out-trunks.ts';
import { regulationResources } from './regulation/resources.ts';
import { didReservations } from './reservations/did-reservations.ts';

/** Every type of `/v3`. A new one is a file of its own and a line here. */
export const resources: readonly PlatformResource[] = [
  countries,
  regions,
  cities,
  areas,
  pops,
  didGroupTypes,
  didGroups,
  stockKeepingUnits,
  nanpaPrefixes,
  availableDids,
  didReservations,
  dids,
  didHistory,
  orders,
  balances,
  capacityPools,
  qtyBasedPricings,
  sharedCapacityGroups,
  voiceInTrunks,
  voiceInTrunkGroups,
  exports,
  voiceOutTrunks,
  voiceOutTrunkRegenerateCredentials,
  ...regulationResources,
  ...emergencyResources,
];
