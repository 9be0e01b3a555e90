/** The attributes and relationships of capacity pools: what a request may send of one is derived from here. */
import { date, decimal, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toMany } from '../../../engines/jsonapi/declare.ts';

export const capacityPoolMembers = {
  attributes: {
    name: text({ doc: 'What the operator calls it.' }),
    renew_date: date({ doc: 'The day its channels are charged again.' }),
    total_channels_count: integer({
      min: 0,
      write: 'update',
      doc: 'Channels it has; an order adds some, an update removes unassigned ones.',
    }),
    assigned_channels_count: integer({ min: 0, doc: 'Channels that numbers and groups have taken.' }),
    minimum_limit: integer({ min: 0, doc: 'The fewest channels it can be lowered to.' }),
    minimum_qty_per_order: integer({ min: 0, doc: 'The fewest channels an order may add.' }),
    setup_price: decimal({ doc: 'Charged once for each channel.' }),
    monthly_price: decimal({ doc: 'Charged for each channel and month.' }),
    metered_rate: decimal({ doc: 'The price of a minute on a metered channel.' }),
  },
  relationships: {
    countries: toMany('countries', {
      doc: 'Where its channels can be used.',
      through: { table: 'capacity_pool_countries', from: 'capacity_pool_id', to: 'country_id' },
    }),
    shared_capacity_groups: toMany('shared_capacity_groups', {
      via: 'capacity_pool_id',
      doc: 'The groups that draw on it.',
    }),
    qty_based_pricings: toMany('qty_based_pricings', {
      via: 'capacity_pool_id',
      doc: 'Prices that hold from a number of channels on.',
    }),
  },
};
