/** JSON:API documents as the pages read them, and the records that several of them show. */
import type { Included, ReadOf, RecordOf } from './routes.ts';

interface Ref {
  type: string;
  id: string;
}

export interface Resource<A = unknown> extends Ref {
  attributes: A;
  relationships?: object;
}

interface Including {
  included?: readonly Included[];
}

export interface One<R> extends Including {
  data: R;
}

export interface Many<R> extends Including {
  data: readonly R[];
  meta?: { total_records?: number };
}

/** The names of a record's relationships. */
type LinkName<R> = R extends { relationships: infer Links } ? keyof Links & string : never;
/** What a relationship links to: one, or several. */
type Link<R, N> = R extends { relationships: infer Links }
  ? N extends keyof Links
    ? Links[N] extends { data?: infer Data }
      ? Data
      : never
    : never
  : never;
type TypeOf<L> = L extends readonly { type: infer T }[] ? T : L extends { type: infer T } ? T : never;
/** The record behind a relationship. */
export type Related<R, N> = Extract<Included, { type: TypeOf<Link<R, N>> }>;

/** The record that a to-one relationship links to, if the document includes it. */
export const related = <R extends Resource, N extends string>(
  document: Including | undefined,
  record: R | undefined,
  name: N & LinkName<R>,
): Related<R, N> | undefined => relatedMany(document, record, name)[0];

/** The records that a to-many relationship links to. */
export const relatedMany = <R extends Resource, N extends string>(
  document: Including | undefined,
  record: R | undefined,
  name: N & LinkName<R>,
): Related<R, N>[] =>
  linked(record, name).flatMap((link) => {
    const isLinked = (each: Included): each is Related<R, N> => each.type === link.type && each.id === link.id;
    return document?.included?.find(isLinked) ?? [];
  });

/** The id that a to-one relationship holds. */
export const linkOf = <R extends Resource, N extends string>(
  record: R | undefined,
  name: N & LinkName<R>,
): string | null => linked(record, name)[0]?.id ?? null;

/** The ids that a to-many relationship holds. */
export const linksOf = <R extends Resource, N extends string>(record: R, name: N & LinkName<R>): string[] =>
  linked(record, name).map(({ id }) => id);

function linked(record: Resource | undefined, name: string): readonly Ref[] {
  const links: Readonly<Record<string, { data?: Ref | Ref[] | null }>> = { ...record?.relationships };
  return [links[name]?.data ?? []].flat();
}

export type Did = RecordOf<'/v3/dids'>;
export type Country = RecordOf<'/v3/countries'>;
export type DidGroup = RecordOf<'/v3/did_groups'>;
export type Sku = Extract<Included, { type: 'stock_keeping_units' }>;
export type AvailableDid = RecordOf<'/v3/available_dids'>;
export type Order = RecordOf<'/v3/orders'>;
export type Trunk = RecordOf<'/v3/voice_in_trunks'>;
export type Call = RecordOf<'/panel/v1/calls'>;
export type ApiKey = RecordOf<'/panel/v1/api_keys'>;
export type OtpApplication = RecordOf<'/panel/v1/otp_applications'>;
export type SessionRecord = RecordOf<'/panel/v1/sessions'>;
export type Message = ReadOf<'/sandbox/v1/messages'>['messages'][number];
