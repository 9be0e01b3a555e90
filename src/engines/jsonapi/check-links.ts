/** Checks that the records which a request links to exist for the caller. */
import { isUuid } from '../../base/uuid.ts';
import { requireLinks, requireNamed } from './access.ts';
import { targetsOf } from './declare.ts';
import { type ErrorObject, messages, throwAny } from './errors.ts';
import { type Linkage, linkedBy } from './linkage.ts';
import {
  type EngineContext,
  linkProblem,
  type Registry,
  type Relationship,
  type Resource,
  type WriteInput,
} from './resource.ts';
import { directConditions, sourceOf } from './select.ts';
import { allConditions, Params } from './sql.ts';

/**
 * Checks that everything an input links to is there for this caller, one statement per relationship, and may be named
 * by it.
 */
export async function checkLinks(
  context: EngineContext,
  registry: Registry,
  resource: Resource,
  input: WriteInput,
): Promise<void> {
  requireNamed(context, resource, input.attributes);
  const problems = await Promise.all(
    Object.entries(input.relationships).map(async ([name, link]): Promise<ErrorObject[]> => {
      const relationship = resource.relationships[name];
      if (relationship) requireLinks(context, relationship, link);
      if (!relationship || relationship.checked === false) return [];
      const links = linkedBy(link);
      const found = await findLinks(context, registry, relationship, links);
      return links.every(({ id }) => found.has(id)) ? [] : [linkProblem(relationship, name, messages.invalid)];
    }),
  );
  throwAny(problems.flat());
}

/** The ids among `links` that exist for this caller. */
async function findLinks(
  context: EngineContext,
  registry: Registry,
  relationship: Relationship,
  links: readonly Linkage[],
): Promise<Set<string>> {
  const found = await Promise.all(
    targetsOf(relationship).map((type) =>
      findIds(
        context,
        registry,
        type,
        links.filter((link) => link.type === type).map(({ id }) => id),
      ),
    ),
  );
  return new Set(found.flat());
}

/** The ids among these that are records of a type, for this caller. */
async function findIds(
  context: EngineContext,
  registry: Registry,
  type: string,
  wanted: readonly string[],
): Promise<string[]> {
  const target = registry.get(type);
  const ids = wanted.filter(isUuid);
  if (!target || ids.length === 0) return [];
  const params = new Params();
  const conditions = [
    ...directConditions(context, target, params),
    `${target.idColumn} = any(${params.add(ids)}::uuid[])`,
  ];
  const rows = await context.query(
    `select ${target.idColumn} as id from ${sourceOf(context, target, params)}${allConditions(conditions)}`,
    params.values,
  );
  return rows.map((row) => String(row.id));
}
