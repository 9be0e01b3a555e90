/** The whole interface as plain text for language models: what there is, what each name means, one request each. */
import type { OpenApiDocument, Operation, Schema } from './types.ts';

export function llmsText(document: OpenApiDocument): string {
  const url = document.servers[0]?.url ?? '';
  const sections = document.tags.map(({ name, description = '' }) => {
    const operations = operationsOf(document, name);
    return operations.length === 0 ? '' : [`## ${name}`, description, ...operations].filter(Boolean).join('\n\n');
  });
  return [
    `# ${document.info.title} ${document.info.version}`,
    document.info.description ?? '',
    `- Base address: ${url}\n- OpenAPI 3.1: ${url}/openapi.json\n- Reference for people: ${url}/docs\n- Postman: ${url}/postman.json`,
    ...sections.filter(Boolean),
    '## Types',
    ...typesOf(document),
    '',
  ].join('\n\n');
}

function operationsOf(document: OpenApiDocument, tag: string): string[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags[0] === tag && operation.deprecated !== true)
      .map(([method, operation]) => operationText(method, path, operation)),
  );
}

function operationText(method: string, path: string, operation: Operation): string {
  const filters = (operation.parameters ?? []).flatMap((each) =>
    'name' in each && each.name.startsWith('filter[') ? [`\`${each.name}\``] : [],
  );
  const [content] = Object.values(operation.requestBody?.content ?? {});
  const bodies = Object.values(content?.examples ?? {}).map(
    ({ summary, value }) => `${summary}: \`${JSON.stringify(value)}\``,
  );
  return [
    `### ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    ...(filters.length > 0 ? [`Filters: ${filters.join(', ')}`] : []),
    ...bodies,
  ].join('\n');
}

/** The attributes and relationships of each type, and the members of nested objects. */
function typesOf(document: OpenApiDocument): string[] {
  return Object.entries(document.components.schemas ?? {}).flatMap(([name, schema]) => {
    const isNested =
      schema.properties?.attributes?.properties !== undefined && !/_(input|patch|create|update)$/.test(name);
    const members = isNested
      ? schema.properties?.attributes
      : /_(attributes|relationships)$/.test(name)
        ? schema
        : null;
    const lines = Object.entries(members?.properties ?? {}).map(([member, each]) => memberLine(member, each));
    return lines.length > 0 ? [`### ${name.replace(/_(attributes|relationships)$/, ' $1')}\n${lines.join('\n')}`] : [];
  });
}

function memberLine(name: string, schema: Schema): string {
  const values = schema['x-enumDescriptions'] ?? schema.items?.['x-enumDescriptions'];
  const meanings = values
    ? ` Values: ${Object.entries(values)
        .map(([value, meaning]) => `\`${value}\` ${meaning.replace(/\.$/, '')}`)
        .join('; ')}.`
    : '';
  return `- \`${name}\`: ${schema.description ?? ''}${meanings}`;
}
