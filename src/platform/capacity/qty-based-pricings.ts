import { decimal, integer } from '../../jsonapi/attributes.ts';
import { owned } from '../declare.ts';

/** What a channel costs from so many channels on; shown with its pool. */
export const qtyBasedPricings = owned('qty_based_pricings', {
  group: 'Capacity',
  summary: 'What a channel costs from so many channels on.',
  path: null,
  paginated: false,
  attributes: { qty: integer({ min: 1 }), setup_price: decimal(), monthly_price: decimal() },
  tieBreak: 't.qty, t.id',
  relationshipEndpoints: false,
  endpoints: { list: false, read: false },
});
