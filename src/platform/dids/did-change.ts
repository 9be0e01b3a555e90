/** What a request may change of a number, and the columns that follow from it. */
import type { Updateable } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
import type { WriteInput } from '../../jsonapi/resource.ts';

export interface DidAttributes {
  description?: string | null;
  terminated?: boolean;
  capacity_limit?: number | null;
  dedicated_channels_count?: number;
  billing_cycles_count?: number | null;
}

export type DidLinks = Partial<
  Record<
    | 'voice_in_trunk'
    | 'voice_in_trunk_group'
    | 'capacity_pool'
    | 'shared_capacity_group'
    | 'address_verification'
    | 'emergency_calling_service',
    Linkage | null
  >
>;

export type DidInput = WriteInput<DidAttributes, DidLinks>;
export type DidChange = Updateable<Schema['dids']>;
