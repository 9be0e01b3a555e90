/**
 * The configuration of an inbound trunk: its attribute, what the server adds to it, and what it needs of the account.
 */

import { isEmergencyNumber } from '../../../business/voice/emergency-numbers.ts';
import type { ConfigurationType } from '../../../engines/db/tables/voice.ts';
import { object } from '../../../engines/jsonapi/attributes.ts';
import { type ErrorObject, invalid, messages, refuse, throwAny } from '../../../engines/jsonapi/errors.ts';
import type { Attribute } from '../../../engines/jsonapi/facts.ts';
import { type TypedObject, wholeObject } from '../../../engines/jsonapi/parse-object.ts';
import type { Row } from '../../../engines/jsonapi/sql.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { featureMissing } from '../refusals.ts';
import { configurations, formerUntil } from './sip-configuration.ts';
import { generateCredential } from './sip-values.ts';

export const configuration = {
  ...object(configurations, {
    doc: 'Where the calls go: to a SIP host, to equipment that registers, or to a telephone number.',
    write: 'both',
    required: true,
    patch: 'merge',
    until: formerUntil,
    column: "json_build_object('type', t.configuration_type, 'attributes', t.configuration)",
  }),
  complete: ({ attributes }, stored, sent) =>
    'enabled_sip_registration' in attributes ? completeSip(attributes, stored, sent) : completeFormer(attributes, sent),
} satisfies Attribute;

/**
 * Adds the credentials of registration. What a switch rules out is removed unless it was sent too: the host and the
 * port when registration is switched on, user and password when authentication is switched off.
 */
function completeSip(merged: Row, stored: Row | null, sent: Row): Row {
  const registers = merged.enabled_sip_registration === true;
  const credentials = registers
    ? {
        incoming_auth_username: stored?.incoming_auth_username ?? generateCredential(),
        incoming_auth_password: stored?.incoming_auth_password ?? generateCredential(),
        host: sent.host ?? null,
        port: sent.port ?? null,
      }
    : { incoming_auth_username: null, incoming_auth_password: null };
  const removed =
    sent.auth_enabled === false ? { auth_user: sent.auth_user ?? null, auth_password: sent.auth_password ?? null } : {};
  return { ...merged, ...credentials, ...removed };
}

/** Clients of IAX2 trunks send a user and a password, and most of them no switch. */
function completeFormer(merged: Row, sent: Row): Row {
  if (!('auth_enabled' in merged)) return merged;
  const isOn = sent.auth_user === undefined ? merged.auth_enabled : sent.auth_user !== null;
  return { ...merged, auth_enabled: sent.auth_enabled ?? isOn };
}

interface Configuration {
  type: ConfigurationType;
  attributes: Row;
}

/** Returns the configuration to store; the engine has already checked its rules. */
export async function newConfiguration(
  context: PlatformContext,
  sent: TypedObject,
  stored: Configuration | null,
): Promise<Configuration> {
  const { type, attributes } = wholeObject(configuration, sent, stored);
  if (!isKnown(type)) return refuse(invalid.attribute('configuration', messages.invalid));
  if (type === 'sip_configurations') requireEncryptionFeature(context, attributes);
  if (type === 'pstn_configurations') throwAny(await checkForwarding(context, String(attributes.dst)));
  return { type, attributes };
}

const isKnown = (type: string): type is ConfigurationType => Object.hasOwn(configurations, type);

/** TLS and SRTP are an account's feature; all are on unless an operator switched them off. */
function requireEncryptionFeature(context: PlatformContext, attributes: Row): void {
  const encrypted = attributes.transport_protocol_id === 3 || attributes.media_encryption_mode !== 'disabled';
  if (encrypted && !callerOf(context).features.tls) refuse(featureMissing('tls'));
}

/**
 * Forwarding is charged per minute, so a destination without a rate is rejected (contract, behaviour, section 4).
 * Emergency calls go out from enabled numbers only: a stranger's call is never forwarded to an emergency number.
 */
async function checkForwarding(context: PlatformContext, dst: string): Promise<ErrorObject[]> {
  const rates = await context.query(`select 1 from voice_rate('pstn_forwarding', $1, $2)`, [
    callerOf(context).accountId,
    dst,
  ]);
  return rates.length > 0 && !isEmergencyNumber(dst) ? [] : [invalid.nested('configuration', 'dst', messages.invalid)];
}
