/** What the search of the documentation looks through: the sections of guides, and operations with their members. */
import type { OpenApiDocument, Schema } from '../../../engines/openapi/types.ts';
import { slug } from './html.ts';
import type { PlacedOperation } from './operation.ts';
import { nameOf, resolved } from './schema.ts';

export interface Found {
  title: string;
  /** What it is a part of. */
  of: string;
  /** Relative to `docs/`. */
  to: string;
  text: string;
}

export function foundInGuide(path: string, guide: string, text: string): Found[] {
  return text.split(/^(?=#{1,3} )/m).flatMap((section) => {
    const [, title = ''] = /^#+ (.*)$/m.exec(section) ?? [];
    if (title === '') return [];
    const words = section.replace(/^#+ .*\n/, '').replace(/[`|*]|-{3,}/g, ' ');
    const isWhole = title === guide;
    return [{ title, of: isWhole ? 'Guide' : guide, to: isWhole ? path : `${path}#${slug(title)}`, text: tidy(words) }];
  });
}

export function foundInOperation(
  document: OpenApiDocument,
  path: string,
  group: string,
  { method, path: address, operation }: PlacedOperation,
): Found {
  const parameters = (operation.parameters ?? []).map((each) => ('$ref' in each ? nameOf(each.$ref) : each.name));
  const bodies = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => names(document, schema));
  const text = [method, address, operation.description ?? '', ...parameters, ...new Set(bodies)].join(' ');
  return { title: operation.summary, of: group, to: `${path}#${operation.operationId}`, text: tidy(text) };
}

/** Of all members, however deep. */
function names(document: OpenApiDocument, member: Schema, depth = 0): string[] {
  if (depth > 6) return [];
  const { properties = {}, items, oneOf = [], anyOf = [] } = resolved(document, member);
  const below = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...oneOf, ...anyOf];
  return [...Object.keys(properties), ...below.flatMap((each) => names(document, each, depth + 1))];
}

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim();
