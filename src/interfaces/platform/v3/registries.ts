/** The types of `/v3` in every version. */
import { newestOf } from '../../../engines/jsonapi/older-form.ts';
import { Registry } from '../../../engines/jsonapi/resource.ts';
import { olderRegistries } from '../../../engines/jsonapi/versions/older-registries.ts';
import { history } from '../versions/history.ts';
import { resources } from './resources.ts';

export const registry = new Registry(resources);

export const older = olderRegistries(registry, history);

export function registryOf(version: string): Registry {
  return older.get(version) ?? registry;
}

interface TypeNames {
  /** Of a type's name in the version, or of its newest name. */
  newest: (name: string) => string;
  own: (newest: string) => string;
}

const asTheyAre: TypeNames = { newest: (name) => name, own: (name) => name };

const namesByVersion = new Map(
  [...older].map(([version, types]): [string, TypeNames] => {
    const renamed = types.all().filter((resource) => newestOf(resource).type !== resource.type);
    const toNewest = new Map(renamed.map((resource) => [resource.type, newestOf(resource).type]));
    const toOwn = new Map(renamed.map((resource) => [newestOf(resource).type, resource.type]));
    return [version, { newest: (name) => toNewest.get(name) ?? name, own: (newest) => toOwn.get(newest) ?? newest }];
  }),
);

/** What types are called in a version. */
export const typeNamesOf = (version: string): TypeNames => namesByVersion.get(version) ?? asTheyAre;
