import { decimal, integer } from '../../jsonapi/attributes.ts';
import { catalogue } from '../declare.ts';

/** An offer of a group: what it costs with so many channels included. Prices are without VAT. */
export const stockKeepingUnits = catalogue('stock_keeping_units', {
  group: 'DID groups',
  noun: 'SKU',
  summary: 'An offer of a group: what it costs with so many channels included. Prices are without VAT.',
  attributes: {
    setup_price: decimal({ doc: 'Charged once for each number.' }),
    monthly_price: decimal({ doc: 'Charged for each number and month.' }),
    channels_included_count: integer({ min: 0, doc: 'Simultaneous calls that are included.' }),
  },
  path: null,
  tieBreak: 't.channels_included_count, t.id',
  paginated: false,
  endpoints: { list: false, read: false },
  relationshipEndpoints: false,
});
