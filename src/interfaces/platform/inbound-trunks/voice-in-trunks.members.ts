/** The attributes and relationships of inbound trunks: what a request may send of one is derived from here. */
import { freeText, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { capacityLimit, createdAt, externalReferenceId } from '../common-attributes.ts';
import { onOneLine } from '../one-line.ts';
import { configuration } from './configuration-rules.ts';

const cliFormats = {
  e164: 'With the country code, without `+`.',
  local: 'As dialled inside the country.',
  raw: 'As it came.',
};

export const voiceInTrunkMembers = {
  attributes: onOneLine({
    name: text({ write: 'both', required: true, doc: 'Used once among trunks and trunk groups.' }),
    description: freeText({ nullable: true, write: 'both', doc: 'Your own note.' }),
    external_reference_id: externalReferenceId,
    priority: integer({
      write: 'both',
      min: 0,
      max: 65_535,
      default: 1,
      doc: 'In a group, the lowest is tried first.',
    }),
    weight: integer({
      write: 'both',
      min: 0,
      max: 65_535,
      default: 65_535,
      doc: 'Its share of calls among trunks of the same priority.',
    }),
    capacity_limit: capacityLimit,
    cli_format: text({
      nullable: true,
      write: 'both',
      values: cliFormats,
      default: 'e164',
      doc: 'How the number of the caller is shown to you.',
    }),
    cli_prefix: text({
      nullable: true,
      write: 'both',
      maxLength: 7,
      pattern: '^[A-Za-z0-9+#]*$',
      doc: 'Put before the number of the caller, such as `+`.',
    }),
    ringing_timeout: integer({
      nullable: true,
      write: 'both',
      min: 1,
      max: 32,
      doc: 'Seconds it may ring before the call goes on or ends; null takes the platform’s.',
    }),
    created_at: createdAt,
    configuration,
  }),
  relationships: {
    voice_in_trunk_group: toOne('voice_in_trunk_groups', {
      nullable: true,
      write: 'both',
      doc: 'The group it is tried in.',
    }),
    pop: toOne('pops', { nullable: true, write: 'both', doc: 'The point of presence its calls are sent from.' }),
  },
};
