import type { TypedObject } from '../../jsonapi/parse-object.ts';

/** What a request for an order says, already checked. */
export type OrderAttributes = {
  items: TypedObject[];
  callback_url?: string | null;
  callback_method?: 'get' | 'post' | null;
  external_reference_id?: string | null;
  allow_back_ordering?: boolean;
};
