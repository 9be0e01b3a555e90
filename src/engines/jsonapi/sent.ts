/** What a workflow receives, derived from the declaration of its type: nobody writes the type of an input by hand. */
import type { Attribute } from './facts.ts';
import type { Linkage, ToManyInput } from './linkage.ts';
import type { Relationship, WriteInput } from './resource.ts';
import type { Row } from './sql.ts';

export type Attributes = Readonly<Record<string, Attribute>>;
export type Relationships = Readonly<Record<string, Relationship>>;

/** What `facts.ts` and `declare.ts` remember of an attribute or relationship for the compiler. */
type OptionsOf<T> = T extends { readonly typed?: { options: infer O } } ? O : never;
type ValueOf<T> = T extends { readonly typed?: { value: infer V } } ? V : never;
type IsMany<T> = T extends { readonly typed?: { many: infer M } } ? M : never;

type Write = 'create' | 'update';
type Written<T, W extends Write> = {
  [K in keyof T]: OptionsOf<T[K]> extends { write: W | 'both' } ? K : never;
}[keyof T];
/** Members that every new record has. */
type Required<T, W extends Write> = {
  [K in Written<T, W>]: W extends 'create' ? (OptionsOf<T[K]> extends { required: true } ? K : never) : never;
}[Written<T, W>];
type Nullable<O> = O extends { nullable: true } | { nullOnly: true } ? null : never;

type Value<T> = ValueOf<T> | Nullable<OptionsOf<T>>;
type Link<T, W extends Write> =
  | (IsMany<T> extends true ? (W extends 'create' ? Linkage[] : ToManyInput) : Linkage)
  | Nullable<OptionsOf<T>>;

type SentAttributes<A, W extends Write> = { [K in Required<A, W>]: Value<A[K]> } & {
  [K in Exclude<Written<A, W>, Required<A, W>>]?: Value<A[K]>;
};
type SentLinks<R, W extends Write> = { [K in Required<R, W>]: Link<R[K], W> } & {
  [K in Exclude<Written<R, W>, Required<R, W>>]?: Link<R[K], W>;
};

/** The members of a type, in a file of their own where its workflow is in another: `<type>.members.ts`. */
interface Members {
  readonly attributes: Attributes;
  readonly relationships: Relationships;
}

/** Where members are not known to the compiler, an input is a row. */
type Sent<A, R, W extends Write> = WriteInput<
  string extends keyof A ? Row : SentAttributes<A, W>,
  string extends keyof R ? WriteInput['relationships'] : SentLinks<R, W>
>;

export type CreateOf<A, R> = Sent<A, R, 'create'>;
export type UpdateOf<A, R> = Sent<A, R, 'update'>;
export type CreateInput<M extends Members> = CreateOf<M['attributes'], M['relationships']>;
export type UpdateInput<M extends Members> = UpdateOf<M['attributes'], M['relationships']>;
