/**
 * Reads JSON:API documents of a supplier: each type with the members that are asked of it. A member is named as in our
 * own declaration (wire.ts), so one that is renamed there does not compile here; what a supplier sends beside them is
 * left alone.
 */
import { readStorableJson } from '../../../base/incoming-json.ts';
import { checkerOf, type Static, shape, type TypedSchema } from '../../../engines/typed-schema.ts';
import { apiVersion, type Interface } from './wire.ts';

type Reads = Interface['reads'];
type Records = {
  [R in keyof Reads]: Reads[R] extends { data: readonly (infer Each)[] }
    ? Each
    : Reads[R] extends { data: infer Only }
      ? Only
      : never;
}[keyof Reads];
/** Some types are in no document but included ones. */
type Included = Reads['/v3/did_groups'] extends { included?: (infer Each)[] } ? Each : never;
type Known = Records | Included;
type TypeName = Known extends infer K ? (K extends { type: infer T extends string } ? T : never) : never;
type AttributesOf<N> = Known extends infer K ? (K extends { type: N; attributes: infer A } ? A : never) : never;

const identifier = shape.object({ id: shape.string() });
const linkage = shape.object({
  data: shape.optional(shape.either(shape.either(shape.null(), identifier), shape.array(identifier))),
});

/** A type with these of its attributes, and members beside them. */
export const recordOf = <
  N extends TypeName,
  A extends { readonly [K in keyof A]: K extends keyof AttributesOf<N> ? TypedSchema : never },
  const O extends Readonly<Record<string, TypedSchema>> = Record<never, never>,
>(
  type: N,
  attributes: A,
  others?: O,
) =>
  shape.object({
    ...(others ?? ({} as O)),
    id: shape.string({ minLength: 1, maxLength: 100 }),
    type: shape.constant(type),
    attributes: shape.object(attributes),
    relationships: shape.optional(shape.record(linkage)),
  });

/** Decimals are texts; a price that is none would end in the books. */
export const decimal = shape.string({ pattern: '^-?\\d{1,12}(\\.\\d{1,4})?$' });
export const nullable = <T>(schema: TypedSchema<T>): TypedSchema<T | null> => shape.either(shape.null(), schema);

interface Related {
  readonly relationships?: Readonly<Record<string, { data?: null | { id: string } | { id: string }[] }>>;
}

/** Records that a document includes, by type and id. */
export class IncludedRecords {
  readonly #byName = new Map<string, unknown>();

  constructor(included: readonly { type: string; id: string }[]) {
    for (const record of included) this.#byName.set(`${record.type} ${record.id}`, record);
  }

  /** Those that the relationship of a record names; throws if one is not included, or not as it should be. */
  related<T>(record: Related, name: string, schema: TypedSchema<T>, type: string): T[] {
    const data = record.relationships?.[name]?.data ?? [];
    const checker = checkerFor(schema);
    return [data].flat().map(({ id }) => {
      const found = this.#byName.get(`${type} ${id}`);
      if (!checker.allows(found)) throw new Error(`included ${type} ${id}: ${checker.problemOf(found)}`);
      return found;
    });
  }
}

const collection = checkerOf(
  shape.object({
    data: shape.array(shape.object({})),
    included: shape.optional(shape.array(shape.object({ id: shape.string(), type: shape.string() }))),
    meta: shape.object({ total_records: shape.integer({ minimum: 0 }), api_version: shape.string() }),
  }),
);

const single = checkerOf(shape.object({ data: shape.object({}), meta: shape.object({ api_version: shape.string() }) }));

interface Collection<T> {
  readonly records: readonly T[];
  readonly included: IncludedRecords;
  readonly total: number;
}

/** Throws what is wrong, in words. */
export function readCollection<S extends TypedSchema>(schema: S): (body: Buffer) => Collection<Static<S>> {
  return (body) => {
    const document = readStorableJson(body);
    if (!collection.allows(document)) throw new Error(collection.problemOf(document));
    requireVersion(document.meta.api_version);
    return {
      records: document.data.map((record) => checked(schema, record)),
      included: new IncludedRecords(document.included ?? []),
      total: document.meta.total_records,
    };
  };
}

export function readSingle<S extends TypedSchema>(schema: S): (body: Buffer) => Static<S> {
  return (body) => {
    const document = readStorableJson(body);
    if (!single.allows(document)) throw new Error(single.problemOf(document));
    requireVersion(document.meta.api_version);
    return checked(schema, document.data);
  };
}

function checked<S extends TypedSchema>(schema: S, value: unknown): Static<S> {
  const checker = checkerFor(schema as TypedSchema<Static<S>>);
  if (!checker.allows(value)) throw new Error(checker.problemOf(value));
  return value;
}

const checkers = new Map<TypedSchema, ReturnType<typeof checkerOf>>();

/** Compiled once. */
function checkerFor<T>(schema: TypedSchema<T>): ReturnType<typeof checkerOf<T>> {
  const known = checkers.get(schema);
  if (known !== undefined) return known as ReturnType<typeof checkerOf<T>>;
  const made = checkerOf(schema);
  checkers.set(schema, made);
  return made;
}

function requireVersion(served: string): void {
  if (served !== apiVersion) {
    throw new Error(`it serves version ${served.slice(0, 40)} of its interface, and ${apiVersion} is needed`);
  }
}

const refusals = checkerOf(
  shape.object({ errors: shape.array(shape.object({ code: shape.string(), detail: shape.string() })) }),
);

/** The first error of a document of errors. */
export function readRefusal(status: number, body: Buffer): { code: string; text: string } {
  try {
    const document = readStorableJson(body);
    const [first] = refusals.allows(document) ? document.errors : [];
    if (first !== undefined) return { code: first.code, text: first.detail };
  } catch {
    // Said in other words than JSON:API: the status has to do.
  }
  return { code: String(status), text: `answered ${status}` };
}
