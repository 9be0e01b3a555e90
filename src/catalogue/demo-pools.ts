/**
 * The capacity pools of the demo: a cheap one for the most requested countries, a more expensive one for all others.
 */
import { nameBasedId } from './name-based-id.ts';
import type { CatalogueRows } from './rows.ts';

interface Pool {
  name: string;
  setup_price: string;
  monthly_price: string;
  metered_rate: string;
  /** Quantity discounts: the prices from this number of channels on. */
  breaks: [qty: number, setupPrice: string, monthlyPrice: string][];
}

const standard: Pool = {
  name: 'Standard',
  setup_price: '10.0',
  monthly_price: '10.0',
  metered_rate: '0.012',
  breaks: [
    [30, '9.0', '9.0'],
    [300, '8.0', '8.0'],
    [990, '7.0', '7.0'],
  ],
};
const extended: Pool = {
  name: 'Extended',
  setup_price: '25.0',
  monthly_price: '25.0',
  metered_rate: '0.02',
  breaks: [
    [30, '23.0', '23.0'],
    [300, '20.0', '20.0'],
    [990, '18.0', '18.0'],
  ],
};
const inStandard = new Set(
  'AT AU BE BG CA CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV MT NL NO NZ PL PT RO SE SI SK US'.split(' '),
);

type PoolTables = 'capacity_pool_templates' | 'capacity_pool_template_countries' | 'capacity_pool_template_pricings';

/** Every country with number groups is in exactly one of the two. */
export function poolRows(countries: { id: string; iso: string }[]): Pick<CatalogueRows, PoolTables> {
  const idOf = ({ name }: Pool) => nameBasedId('capacity_pools', name);
  const pools = [standard, extended];
  return {
    capacity_pool_templates: pools.map((pool) => {
      const { name, setup_price, monthly_price, metered_rate } = pool;
      return {
        id: idOf(pool),
        name,
        minimum_limit: 0,
        minimum_qty_per_order: 1,
        setup_price,
        monthly_price,
        metered_rate,
      };
    }),
    capacity_pool_template_countries: countries.map(({ id, iso }) => {
      return { template_id: idOf(inStandard.has(iso) ? standard : extended), country_id: id };
    }),
    capacity_pool_template_pricings: pools.flatMap((pool) =>
      pool.breaks.map(([qty, setup_price, monthly_price]) => ({
        id: nameBasedId('qty_based_pricings', pool.name, String(qty)),
        template_id: idOf(pool),
        qty,
        setup_price,
        monthly_price,
      })),
    ),
  };
}
