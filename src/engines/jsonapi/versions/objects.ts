/** Nested objects of which an older version knew fewer members. */
import type { Attribute } from '../facts.ts';
import type { TypedObject } from '../parse-object.ts';
import { type Change, changed, mapEntries } from './change.ts';
import { unknown } from './members.ts';

/** Members of one type of an attribute's objects did not exist. */
export const noObjectMembers = (
  type: string,
  name: string,
  objectType: string,
  ...members: readonly string[]
): Change => ({
  type,
  change: (newer) => {
    const attribute = newer.attributes[name];
    const known = attribute?.objectTypes?.[objectType];
    for (const member of members) if (!known || !Object.hasOwn(known, member)) throw unknown(newer, member);
    if (!attribute || !known) throw unknown(newer, name);
    const objectTypes = { ...attribute.objectTypes, [objectType]: without(known, members) };
    const older = { ...attribute, objectTypes, ...shownWithout(attribute, objectType, members) };
    return changed(newer, { attributes: { ...newer.attributes, [name]: older } });
  },
});

function shownWithout({ decode }: Attribute, type: string, members: readonly string[]): Pick<Attribute, 'decode'> {
  const show = (object: TypedObject): TypedObject =>
    object.type === type ? { ...object, attributes: without(object.attributes, members) } : object;
  return {
    decode: (stored: never, viewer) => {
      const shown = decode ? decode(stored, viewer) : stored;
      return Array.isArray(shown) ? shown.map(show) : show(shown as TypedObject);
    },
  };
}

const without = <T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  mapEntries(record, (name, value) => (names.includes(name) ? [] : [[name, value]]));
