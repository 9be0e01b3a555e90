/**
 * Members of trunks stand in SIP headers, URIs and SDP, where a line break would begin another header. None takes a
 * control character, whether it is sent on by now or not.
 */
import { mapValues } from '../../engines/jsonapi/declare.ts';
import { type Attribute, type Facts, isWritable, type ObjectType } from '../../engines/jsonapi/facts.ts';

/** The attributes of a type, and the members of their objects, with this rule for every text. */
export const onOneLine = <A extends Readonly<Record<string, Attribute>>>(attributes: A): A =>
  mapValues(attributes, ruled) as A;

const ruled = ({ facts, objectTypes, ...rest }: Attribute): Attribute => ({
  ...rest,
  facts: withRule(facts),
  ...(objectTypes && {
    objectTypes: Object.fromEntries(Object.entries(objectTypes).map(([name, type]) => [name, ruledType(type)])),
  }),
});

const ruledType = (type: ObjectType): ObjectType =>
  Object.fromEntries(Object.entries(type).map(([name, facts]) => [name, withRule(facts)]));

function withRule(facts: Facts): Facts {
  return facts.type === 'string' && !facts.enum && isWritable({ member: facts }) ? { ...facts, oneLine: true } : facts;
}
