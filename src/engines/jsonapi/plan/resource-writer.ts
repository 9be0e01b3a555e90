/**
 * Writes resource objects of one type in one shape as text. Everything that does not depend on the row (names,
 * punctuation, the beginnings and ends of links) is put together once; a row only adds its own texts in between.
 */

import { hasFeature } from '../features.ts';
import type { Linkage } from '../linkage.ts';
import type { Query } from '../query-string.ts';
import type { Node } from '../related.ts';
import type { EngineContext, Resource } from '../resource.ts';
import { holds } from '../rules.ts';
import type { ParseText, Row } from '../sql.ts';
import { attributeCell, metaCell, quote, type WriteCell } from './cells.ts';
import type { ColumnTypes } from './column-types.ts';

export type WriteResource = (node: Node) => string;

interface Member {
  /** With the comma or the brace before it. */
  start: string;
  column: string;
  write: WriteCell;
}

export function compileResource(
  context: Pick<EngineContext, 'baseUrl' | 'features' | 'hidesSecrets'>,
  resource: Resource,
  types: ColumnTypes,
  parse: ParseText,
  query: Pick<Query, 'fields'>,
): WriteResource {
  const { baseUrl, hidesSecrets = false } = context;
  const fields = query.fields.get(resource.type);
  const isShown = (name: string) => !fields || fields.has(name);
  const typeOf = (column: string): number => {
    const type = types[column];
    if (type === undefined) throw new Error(`the column ${column} of ${resource.type} has no type`);
    return type;
  };
  const attributes = Object.entries(resource.attributes)
    .filter(([name, { column }]) => column !== null && isShown(name))
    .map(([name, attribute]) => ({
      name,
      column: name,
      write: attributeCell(attribute, typeOf(name), parse, hidesSecrets),
    }));
  const meta = Object.entries(resource.meta).map(([name, field]) => ({
    name,
    column: `meta.${name}`,
    write: metaCell(field, typeOf(`meta.${name}`), parse),
  }));
  const writeAttributes = members(',"attributes":', attributes, baseUrl);
  const writeMeta = members(',"meta":', meta, baseUrl);
  const writeRelationships = relationships(context, resource, isShown);
  const hasMeta = metaCondition(resource, typeOf, parse);
  const ofType = `,"type":${quote(resource.type)}`;
  const write: WriteResource = ({ row, linkage }) => {
    const id = quote(String(row.id));
    const shown = `{"id":${id}${ofType}${writeAttributes(row)}${writeRelationships(id.slice(1, -1), linkage)}`;
    return hasMeta(row) ? `${shown}${writeMeta(row)}}` : `${shown}}`;
  };
  return resource.reference || resource.reusesSerializedRows ? onceForEachRow(write) : write;
}

/** Caches the JSON text of a row on the row itself: a WeakMap entry costs the garbage collector more. */
const lastWritten = Symbol('last written');

interface Reused extends Row {
  /** `of` is the row itself: a copy of it may say something else. */
  [lastWritten]?: { of: Row; by: WriteResource; links: string; text: string };
}

/** Serializes a row that several requests share only once, unless a request links it to other records. */
function onceForEachRow(by: WriteResource): WriteResource {
  return (node) => {
    const links = linksKey(node.linkage);
    if (links === null) return by(node);
    const row: Reused = node.row;
    const known = row[lastWritten];
    if (known?.of === row && known.by === by && known.links === links) return known.text;
    const text = by(node);
    row[lastWritten] = { of: row, by, links, text };
    return text;
  };
}

/** Null if a relationship leads to many. */
function linksKey(linkage: Node['linkage']): string | null {
  let key = '';
  for (const [name, linked] of linkage) {
    if (Array.isArray(linked)) return null;
    key += linked === null ? `${name} ` : `${name}=${linked.type}/${linked.id} `;
  }
  return key;
}

/** Nothing if there are no members. */
function members(
  name: string,
  all: readonly { name: string; column: string; write: WriteCell }[],
  baseUrl: string,
): (row: Row) => string {
  if (all.length === 0) return () => '';
  const prepared: Member[] = all.map(({ name: member, column, write }, index) => ({
    start: `${index === 0 ? `${name}{` : ','}${quote(member)}:`,
    column,
    write,
  }));
  return (row) => {
    let text = '';
    for (const { start, column, write } of prepared) {
      const stored = row[column];
      text += start;
      text += typeof stored === 'string' ? write(stored, baseUrl) : 'null';
    }
    return `${text}}`;
  };
}

function relationships(
  context: Pick<EngineContext, 'baseUrl' | 'features'>,
  resource: Resource,
  isShown: (name: string) => boolean,
): (id: string, linkage: Node['linkage']) => string {
  const names = Object.entries(resource.relationships)
    .filter(([name, { writeOnly, feature }]) => !writeOnly && hasFeature(context, feature) && isShown(name))
    .map(([name]) => name);
  if (names.length === 0) return () => '';
  const base = quote(`${context.baseUrl}/${resource.type}/`).slice(0, -1);
  const prepared = names.map((name, index) => ({
    name,
    self: `${index === 0 ? ',"relationships":{' : ','}${quote(name)}:{"links":{"self":${base}`,
    related: `/relationships/${name}","related":${base}`,
    end: `/${name}"}`,
  }));
  return (id, linkage) => {
    let text = '';
    for (const { name, self, related, end } of prepared) {
      text += self + id + related + id + end;
      const linked = linkage.get(name);
      text += linked === undefined ? '}' : `,"data":${linkageText(linked)}}`;
    }
    return `${text}}`;
  };
}

function linkageText(linked: Linkage | Linkage[] | null): string {
  if (linked === null) return 'null';
  return Array.isArray(linked) ? `[${linked.map(identifierText).join(',')}]` : identifierText(linked);
}

const identifierText = ({ type, id }: Linkage): string => `{"type":${quote(type)},"id":${quote(id)}}`;

/** Whether a record shows its `meta`; the values that decide are compared as values. */
function metaCondition(
  resource: Resource,
  typeOf: (column: string) => number,
  parse: ParseText,
): (row: Row) => boolean {
  const { meta, metaWhen } = resource;
  if (Object.keys(meta).length === 0) return () => false;
  if (metaWhen === undefined) return () => true;
  const names = Object.keys(metaWhen);
  return (row) => {
    const values = names.map((name) => {
      const stored = row[name];
      return [name, typeof stored === 'string' ? parse(typeOf(name), stored) : null];
    });
    return holds(metaWhen, Object.fromEntries(values));
  };
}
