/** A price list as the pages show it, and the state it is in. */

import { Badge } from '@mantine/core';
import type { RecordOf } from '../api/routes.ts';

export type PriceList = RecordOf<'/operator/v1/price_lists'>;
export const stateColors = { dry_run: 'gray', planned: 'yellow', valid: 'teal', withdrawn: 'gray' } as const;

export const PriceListState = ({ list: { attributes } }: { list: PriceList }) => (
  <Badge variant="light" color={stateColors[attributes.state]}>
    {attributes.state.replaceAll('_', ' ')}
  </Badge>
);
