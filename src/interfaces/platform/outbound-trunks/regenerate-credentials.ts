/** `voice_out_trunk_regenerate_credentials`: generates credentials; the trunk shows them. */
import { sql } from 'kysely';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { needsFeature, owned } from '../declare.ts';
import { generateCredential } from '../inbound-trunks/sip-values.ts';

const members = {
  attributes: {},
  relationships: {
    voice_out_trunk: toOne('voice_out_trunks', {
      write: 'create',
      required: true,
      writeOnly: true,
      doc: 'The trunk that gets new credentials.',
    }),
  },
};

export const voiceOutTrunkRegenerateCredentials = owned('voice_out_trunk_regenerate_credentials', {
  group: 'Outbound trunks',
  title: 'Regenerate the credentials of an outbound trunk',
  summary: 'Generates a new user name and password for an outbound trunk.',
  ...members,
  paginated: false,
  endpoints: { list: false, read: false },
  relationshipEndpoints: false,
  stored: false,
  guard: needsFeature('outbound'),
  create: regenerateCredentials,
});

async function regenerateCredentials(context: PlatformContext, input: CreateInput<typeof members>): Promise<string> {
  const id = input.relationships.voice_out_trunk.id;
  const fresh = { username: generateCredential(), password: generateCredential() };
  const { numUpdatedRows } = await context.db
    .updateTable('voice_out_trunks')
    .set({ authentication: sql`authentication || ${JSON.stringify(fresh)}::jsonb` })
    .where('id', '=', id)
    .where('account_id', '=', callerOf(context).accountId)
    .where('authentication_type', '=', 'credentials_and_ip')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) refuse(invalid.relationship('voice_out_trunk', messages.invalid));
  return id;
}
