import type { ConfigurationType } from '../../db/tables/voice.ts';
import { type ErrorObject, invalid, messages, refuse, throwAny } from '../../jsonapi/errors.ts';
import type { ObjectType } from '../../jsonapi/facts.ts';
import type { TypedObject } from '../../jsonapi/parse-object.ts';
import { checkObjectRules, withDefaults } from '../../jsonapi/rules.ts';
import type { Row } from '../../jsonapi/sql.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { featureMissing } from '../refusals.ts';
import { generateCredential } from './credentials.ts';
import { formerConfigurations } from './former-configurations.ts';
import { configurations } from './sip-configuration.ts';

/** Every configuration that can be stored; the engine has refused those that the request's version does not have. */
const known: Readonly<Record<ConfigurationType, ObjectType>> = { ...configurations, ...formerConfigurations };

export interface Configuration {
  type: ConfigurationType;
  attributes: Row;
}

/** The configuration of a new trunk. */
export async function newConfiguration(context: PlatformContext, sent: TypedObject): Promise<Configuration> {
  const type = knownType(sent.type);
  const attributes = settle(withDefaults(known[type], sent.attributes), null, sent.attributes);
  await check(context, type, attributes);
  return { type, attributes };
}

/** The stored configuration with what was sent laid over it, member by member; the type never changes. */
export async function mergedConfiguration(
  context: PlatformContext,
  stored: Configuration,
  sent: TypedObject,
): Promise<Configuration> {
  if (sent.type !== stored.type) refuse(invalid.attribute('configuration', messages.invalid));
  const attributes = settle({ ...stored.attributes, ...sent.attributes }, stored.attributes, sent.attributes);
  await check(context, stored.type, attributes);
  return { type: stored.type, attributes };
}

function knownType(type: string): ConfigurationType {
  if (isKnown(type)) return type;
  return refuse(invalid.attribute('configuration', messages.invalid));
}

const isKnown = (type: string): type is ConfigurationType => Object.hasOwn(known, type);

/** What the server itself decides: credentials of registration, and that switched-off authentication keeps no password. */
function settle(merged: Row, stored: Row | null, sent: Row): Row {
  if (!('enabled_sip_registration' in merged)) return settleFormer(merged, sent);
  const registers = merged.enabled_sip_registration === true;
  const credentials = registers
    ? {
        incoming_auth_username: stored?.incoming_auth_username ?? generateCredential(),
        incoming_auth_password: stored?.incoming_auth_password ?? generateCredential(),
      }
    : { incoming_auth_username: null, incoming_auth_password: null };
  const forgotten =
    sent.auth_enabled === false ? { auth_user: sent.auth_user ?? null, auth_password: sent.auth_password ?? null } : {};
  return { ...merged, ...credentials, ...forgotten };
}

/** Clients of IAX2 trunks send a user and a password, and most of them no switch. */
function settleFormer(merged: Row, sent: Row): Row {
  if (!('auth_enabled' in merged)) return merged;
  const isOn = sent.auth_user === undefined ? merged.auth_enabled : sent.auth_user !== null;
  return { ...merged, auth_enabled: sent.auth_enabled ?? isOn };
}

async function check(context: PlatformContext, type: ConfigurationType, attributes: Row): Promise<void> {
  const broken = checkObjectRules(known[type], attributes);
  throwAny(broken.map(({ member, message }) => invalid.nested('configuration', member, message)));
  if (type === 'sip_configurations') requireEncryptionFeature(context, attributes);
  if (type === 'pstn_configurations') throwAny(await checkForwardingRate(context, String(attributes.dst)));
}

/** TLS and SRTP are an account's feature; all are on unless an operator switched them off. */
function requireEncryptionFeature(context: PlatformContext, attributes: Row): void {
  const encrypted = attributes.transport_protocol_id === 3 || attributes.media_encryption_mode !== 'disabled';
  if (encrypted && !callerOf(context).features.tls) refuse(featureMissing('tls'));
}

/** Forwarding is paid per minute; to where the account has no rate there is none (behaviour, section 4). */
async function checkForwardingRate(context: PlatformContext, dst: string): Promise<ErrorObject[]> {
  const rates = await context.query(`select 1 from voice_rate('pstn_forwarding', $1, $2)`, [
    callerOf(context).accountId,
    dst,
  ]);
  return rates.length > 0 ? [] : [invalid.nested('configuration', 'dst', messages.invalid)];
}
