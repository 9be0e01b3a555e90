/** A price list as the pages show it, and the state it is in. */
import { Badge } from '@mantine/core';
import type { Resource } from '../api/documents.ts';

export type PriceList = Resource<{
  kind: string;
  valid_from: string | null;
  dry_run: boolean;
  state: 'dry_run' | 'planned' | 'valid' | 'withdrawn';
  new_count: number;
  changed_count: number;
  removed_count: number;
  unchanged_count: number;
  reason: string | null;
  actor: string;
  created_at: string;
}>;
export const stateColors = { dry_run: 'gray', planned: 'yellow', valid: 'teal', withdrawn: 'gray' } as const;

export const PriceListState = ({ list: { attributes } }: { list: PriceList }) => (
  <Badge variant="light" color={stateColors[attributes.state]}>
    {attributes.state.replaceAll('_', ' ')}
  </Badge>
);
