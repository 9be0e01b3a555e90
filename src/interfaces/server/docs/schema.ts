/** A schema as people read it: each member with its type, what it means, and what it may be. */
import type { OpenApiDocument, Schema } from '../../../engines/openapi/types.ts';
import { type Html, html } from './html.ts';
import { line } from './markdown.ts';

/** Deeper is nothing that anybody sends. */
const deepest = 7;
/** Records and documents around them have their own section, or an example. */
const notUnfolded = /_(included|document|collection|identifier|relationships)$/;

export interface Reader {
  document: OpenApiDocument;
  /** Where a record is described, by the name of its type. */
  placeOf: (type: string) => string | null;
}

export const resolved = (document: OpenApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : { ...document.components.schemas?.[nameOf(schema.$ref)], ...withoutRef(schema) };

export const nameOf = (reference: string): string => reference.replace(/^.*\//, '');

const withoutRef = ({ $ref: _, ...rest }: Schema): Schema => rest;

/** The members of an object as a list; null if it has none that are declared. */
export function members(reader: Reader, schema: Schema, depth = 0): Html | null {
  const { properties = {}, required = [] } = resolved(reader.document, schema);
  const all = Object.entries(properties);
  if (all.length === 0 || depth > deepest) return null;
  return html`<dl class="members">${all.map(([name, member]) => memberOf(reader, name, member, required, depth))}</dl>`;
}

function memberOf(reader: Reader, name: string, member: Schema, required: readonly string[], depth: number): Html {
  const schema = resolved(reader.document, member);
  const below = unfolded(reader, member, depth + 1);
  return html`<div><dt><code>${name}</code> <span class="type">${typeOf(reader, member)}</span>${
    required.includes(name) ? html` <span class="required">required</span>` : null
  }</dt><dd>${schema.description === undefined ? null : html`<p>${line(schema.description)}</p>`}${rulesOf(schema)}${
    below === null ? null : html`<details${depth < 2 ? html` open` : null}><summary>Members</summary>${below}</details>`
  }</dd></div>`;
}

/** What lies in it: members of an object, of the items of a list, or of each form that it may have. */
function unfolded(reader: Reader, member: Schema, depth: number): Html | null {
  if (depth > deepest || (member.$ref !== undefined && notUnfolded.test(member.$ref))) return null;
  const schema = resolved(reader.document, member);
  if (schema.items !== undefined) return unfolded(reader, schema.items, depth);
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms === undefined) return members(reader, schema, depth);
  const shown = forms.flatMap((form) => {
    const body = members(reader, form, depth);
    return body === null ? [] : [html`<details><summary>${formName(reader, form)}</summary>${body}</details>`];
  });
  return shown.length === 0 ? null : html`${shown}`;
}

function formName({ document }: Reader, form: Schema): string {
  const { type } = resolved(document, form).properties ?? {};
  if (typeof type?.const === 'string') return type.const;
  return form.$ref === undefined ? 'One form' : nameOf(form.$ref);
}

export function typeOf(reader: Reader, member: Schema): Html {
  const schema = resolved(reader.document, member);
  if (schema.const !== undefined) return html`always <code>${JSON.stringify(schema.const)}</code>`;
  const names = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (schema.items !== undefined) return html`list of ${typeOf(reader, schema.items)}${orNull(names)}`;
  const reference = member.$ref === undefined ? null : nameOf(member.$ref);
  const place = reference === null ? null : reader.placeOf(reference.replace(notUnfolded, ''));
  if (reference !== null && place !== null) return html`<a href="${place}">${reference.replace(notUnfolded, '')}</a>`;
  if (schema.format !== undefined && names.includes('string')) return html`${schema.format}${orNull(names)}`;
  return html`${names.filter((name) => name !== 'null').join(' or ') || 'any'}${orNull(names)}`;
}

const orNull = (names: readonly string[]): string => (names.includes('null') ? ' or null' : '');

function rulesOf(schema: Schema): Html | null {
  const rules = [
    schema.default === undefined ? [] : [html`default <code>${JSON.stringify(schema.default)}</code>`],
    limit('at least', schema.minimum),
    limit('more than', schema.exclusiveMinimum),
    limit('at most', schema.maximum),
    limit('at least', schema.minLength, 'characters'),
    limit('at most', schema.maxLength, 'characters'),
    limit('at least', schema.minItems, 'items'),
    limit('at most', schema.maxItems, 'items'),
    schema.uniqueItems === true ? [html`no item twice`] : [],
    schema.pattern === undefined ? [] : [html`pattern <code>${schema.pattern}</code>`],
  ].flat();
  const values = (schema.enum ?? schema.items?.enum ?? []).filter((value) => value !== null);
  if (rules.length === 0 && values.length === 0) return null;
  const meanings = schema['x-enumDescriptions'] ?? schema.items?.['x-enumDescriptions'] ?? {};
  return html`${rules.length === 0 ? null : html`<p class="rules">${separated(rules)}</p>`}${
    values.length === 0 ? null : valuesOf(values, meanings)
  }`;
}

const limit = (word: string, value: number | undefined, unit = ''): Html[] =>
  value === undefined ? [] : [html`${word} ${value.toLocaleString('en')} ${unit}`];

const separated = (rules: readonly Html[]): Html[] =>
  rules.map((rule, index) => html`${index === 0 ? '' : ' · '}${rule}`);

const valuesOf = (values: readonly unknown[], meanings: Readonly<Record<string, string>>): Html =>
  html`<ul class="values">${values.map((value) => {
    const meaning = meanings[String(value)];
    return html`<li><code>${String(value)}</code>${meaning === undefined ? null : html` ${line(meaning)}`}</li>`;
  })}</ul>`;
