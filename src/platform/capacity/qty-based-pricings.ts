import { decimal, integer } from '../../jsonapi/attributes.ts';
import { owned } from '../declare.ts';

/** What a channel costs from so many channels on; shown with its pool. */
export const qtyBasedPricings = owned('qty_based_pricings', {
  group: 'Capacity',
  noun: 'quantity price',
  summary: 'What a channel costs from so many channels on.',
  path: null,
  paginated: false,
  attributes: {
    qty: integer({ min: 1, doc: 'The number of channels from which these prices hold.' }),
    setup_price: decimal({ doc: 'Charged once for each channel.' }),
    monthly_price: decimal({ doc: 'Charged for each channel and month.' }),
  },
  tieBreak: 't.qty, t.id',
  relationshipEndpoints: false,
  endpoints: { list: false, read: false },
});
