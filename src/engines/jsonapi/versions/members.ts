/** Members that an older version had under another name, in another form, more of them, or not at all. */
import type { Attribute, Facts } from '../facts.ts';
import type { Filter } from '../filters.ts';
import type { KeptCounts, MetaField, Resource, WriteInput } from '../resource.ts';
import type { Row } from '../sql.ts';
import { type Change, changed, inProblems, mapEntries, otherWord, type Step } from './change.ts';

/** An attribute or a relationship had another name, and so had the filters and sort keys that begin with it. */
export const memberWas = (type: string, name: string, old: string): Change => ({
  type,
  change: (newer) => {
    requireMember(newer, name);
    const asOld = renaming(name, old);
    const asNew = renaming(old, name);
    const rename = otherWord(name, old);
    const names = (list: readonly string[] | undefined) => list?.map(asOld);
    const { attributes, relationships, filters, sort, defaultSort, exactlyOneOf, atLeastOneOf, counts } = newer;
    return changed(
      newer,
      {
        attributes: renamed(attributes, asOld, partnersRenamed(asOld)),
        relationships: renamed(relationships, asOld),
        filters: renamed(filters, asOld),
        sort: renamed(sort, asOld),
        defaultSort: defaultSort === null ? null : defaultSort.replace(/[^-].*/, asOld),
        ...(exactlyOneOf ? { exactlyOneOf: names(exactlyOneOf) ?? [] } : {}),
        ...(atLeastOneOf ? { atLeastOneOf: names(atLeastOneOf) ?? [] } : {}),
        ...(counts ? { counts: countedBy(counts, asNew) } : {}),
      },
      {
        input: ({ attributes: sent, relationships: linked }) => ({
          attributes: renamed(sent, asNew),
          relationships: renamed(linked, asNew),
        }),
        problem: inProblems(rename),
        row: (row) => renamed(row, (key) => (key === `→${name}` ? `→${old}` : asOld(key))),
      },
    );
  },
});

/** Attributes and relationships did not exist, nor filters and sort keys that begin with them. */
export const noMembers = (type: string, ...names: readonly string[]): Change => ({
  type,
  change: (newer) => {
    for (const name of names) requireMember(newer, name);
    const kept = <T>(record: Readonly<Record<string, T>>) => without(record, (name) => names.includes(headOf(name)));
    const { attributes, relationships, filters, sort } = newer;
    return changed(newer, {
      attributes: kept(attributes),
      relationships: kept(relationships),
      filters: kept(filters),
      sort: kept(sort),
    });
  },
});

/** Attributes could be sent, and no response showed them. */
export const notShown = (type: string, ...names: readonly string[]): Change => ({
  type,
  change: (newer) => {
    for (const name of names) requireMember(newer, name);
    const hidden = ({ decode: _decode, ...attribute }: Attribute): Attribute => ({
      ...attribute,
      column: null,
      facts: { ...attribute.facts, writeOnly: true },
    });
    const attributes = mapEntries(newer.attributes, (name, attribute) => [
      [name, names.includes(name) ? hidden(attribute) : attribute],
    ]);
    return changed(newer, { attributes });
  },
});

/**
 * There was a further attribute. `after` says behind which one it stands; `input` writes what was sent for it into the
 * members of the newer version.
 */
export const hadAttribute = (
  type: string,
  name: string,
  attribute: Attribute,
  { after, input }: { after?: string; input?: (value: unknown, others: Row) => Row } = {},
): Change => ({
  type,
  change: (newer) => {
    const own = attribute.column === '' ? { ...attribute, column: `t.${name}` } : attribute;
    const attributes = mapEntries(newer.attributes, (each, value) =>
      each === after ? [[each, value] as const, [name, own] as const] : [[each, value] as const],
    );
    const upgraded = ({ attributes: sent, relationships }: WriteInput): WriteInput => {
      if (!Object.hasOwn(sent, name)) return { attributes: sent, relationships };
      const { [name]: value, ...others } = sent;
      return { attributes: { ...others, ...input?.(value, others) }, relationships };
    };
    return changed(newer, { attributes: { ...attributes, [name]: own } }, { input: upgraded });
  },
});

/** An attribute was read from another column, or was shown in another form. */
export const attributeWas = (
  type: string,
  name: string,
  older: (newer: Attribute) => Attribute | Omit<Attribute, 'facts'>,
): Change => ({
  type,
  change: (newer) => {
    requireMember(newer, name);
    const attributes = mapEntries(newer.attributes, (each, attribute) => [
      [each, each === name ? { ...attribute, ...older(attribute) } : attribute],
    ]);
    return changed(newer, { attributes });
  },
});

/** Other rules for the value of an attribute; what is undefined was no rule. */
export const factsWere = (type: string, name: string, facts: { [F in keyof Facts]?: Facts[F] | undefined }): Change =>
  attributeWas(type, name, (newer) => ({ ...newer, facts: { ...newer.facts, ...facts } as Facts }));

/** A new record had this value where the request said nothing. */
export const defaultWas = (type: string, name: string, value: unknown): Change => ({
  type,
  change: (newer) => {
    const older = factsWere(type, name, { default: value }).change(newer);
    return older && changed(older, {}, { input: whenCreated({ [name]: value }) });
  },
});

/** What a create sends where the request said nothing. */
export const whenCreated =
  (values: Row): NonNullable<Step['input']> =>
  ({ attributes, relationships }, operation) => ({
    attributes: operation === 'create' ? { ...values, ...attributes } : attributes,
    relationships,
  });

export const noFilters = (type: string, ...names: readonly string[]): Change => ({
  type,
  change: (newer) => {
    for (const name of names) if (!Object.hasOwn(newer.filters, name)) throw unknown(newer, name);
    return changed(newer, { filters: without(newer.filters, (name) => names.includes(name)) });
  },
});

export const hadFilter = (type: string, name: string, filter: Filter): Change => ({
  type,
  change: (newer) => changed(newer, { filters: { ...newer.filters, [name]: filter } }),
});

/** A filter told capital letters from small ones. */
export const filterBySpelling = (type: string, name: string): Change => ({
  type,
  change: (newer) => {
    const exactly = newer.filters[name]?.bySpelling;
    if (!exactly) throw unknown(newer, name);
    return changed(newer, { filters: { ...newer.filters, [name]: exactly } });
  },
});

/** Resources showed a further value in `meta`. */
export const hadMeta = (type: string, name: string, field: MetaField): Change => ({
  type,
  change: (newer) => changed(newer, { meta: { ...newer.meta, [name]: field } }),
});

/** A change is about something: a name that the newer version does not have is a mistake in its declaration. */
export function requireMember({ type, attributes, relationships }: Resource, name: string): void {
  if (!Object.hasOwn(attributes, name) && !Object.hasOwn(relationships, name)) throw unknown({ type }, name);
}

export const unknown = ({ type }: Pick<Resource, 'type'>, name: string): Error =>
  new Error(`a change names ${name} of ${type}, which is not there`);

const headOf = (name: string): string => name.split('.', 1)[0] ?? '';

const renaming =
  (name: string, other: string) =>
  (key: string): string =>
    key === name || key.startsWith(`${name}.`) ? other + key.slice(name.length) : key;

/** With other names; what had such a name before is gone. */
function renamed<T>(
  record: Readonly<Record<string, T>>,
  rename: (name: string) => string,
  change: (value: T) => T = (value) => value,
): Record<string, T> {
  const taken = new Set(Object.keys(record).flatMap((name) => (rename(name) === name ? [] : [rename(name)])));
  return mapEntries(record, (name, value) => {
    const other = rename(name);
    return other === name && taken.has(name) ? [] : [[other, change(value)]];
  });
}

const without = <T>(record: Readonly<Record<string, T>>, isGone: (name: string) => boolean): Record<string, T> =>
  mapEntries(record, (name, value) => (isGone(name) ? [] : [[name, value]]));

const partnersRenamed =
  (rename: (name: string) => string) =>
  (attribute: Attribute): Attribute =>
    attribute.facts.togetherWith === undefined
      ? attribute
      : { ...attribute, facts: { ...attribute.facts, togetherWith: rename(attribute.facts.togetherWith) } };

/** Counts are kept under the newest names of filters. */
const countedBy = (counts: KeptCounts, asNew: (name: string) => string): KeptCounts => ({
  ...counts,
  total: (context, filters, params) =>
    counts.total(
      context,
      filters.map((each) => ({ ...each, name: asNew(each.name) })),
      params,
    ),
});
