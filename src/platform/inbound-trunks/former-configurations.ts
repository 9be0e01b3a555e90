/**
 * The configurations of older versions of the interface: IAX2 and H.323. They are kept and shown for clients that stayed
 * with 2022-05-10; calls are never sent to them (an attempt fails with 488 and the next trunk is tried).
 */
import { facts, type ObjectType } from '../../jsonapi/facts.ts';
import { CODECS } from './sip-values.ts';

const address = {
  dst: facts('string', {
    write: 'both',
    required: true,
    doc: 'The extension to call; {CALL_DID} stands for the called number.',
  }),
  host: facts('string', {
    write: 'both',
    required: true,
    format: 'hostname-or-ip',
    doc: 'Host name or IP address of the equipment.',
  }),
  port: facts('integer', { nullable: true, write: 'both', min: 1, max: 65_535, doc: 'Port of the equipment.' }),
  codec_ids: facts('array', {
    write: 'both',
    required: true,
    items: { type: 'integer', values: CODECS },
    minItems: 1,
    uniqueItems: true,
    doc: 'Codecs to offer, the preferred one first.',
  }),
};

const credential = (doc: string) =>
  facts('string', { nullable: true, write: 'both', requiredIf: { auth_enabled: true }, doc });

const iax2Configuration: ObjectType = {
  ...address,
  auth_enabled: facts('boolean', { write: 'both', default: false, doc: 'Whether calls are sent with credentials.' }),
  auth_user: credential('User name of the credentials.'),
  auth_password: credential('Password of the credentials.'),
};

export const formerConfigurations = { iax2_configurations: iax2Configuration, h323_configurations: address };

/** The version that no longer takes them. */
export const FORMER_UNTIL = '2026-04-16';
