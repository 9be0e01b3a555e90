/**
 * Lets a number ring in the browsers of a person: at an inbound trunk that waits for registrations, one for each login.
 * Where the number rang before is remembered in this browser, so that it can be put back.
 */
import { get } from '../api/request.ts';
import { type BodyOf, pathWith } from '../api/routes.ts';
import type { Send } from '../api/writer.ts';

type Target = { type: 'voice_in_trunks' | 'voice_in_trunk_groups'; id: string } | null;

/** The name of the trunk, which is unique in an account. */
export const trunkNameOf = (login: string): string => `Browser phone of ${login}`.slice(0, 255);

const attributesOf = (name: string): BodyOf<'POST /v3/voice_in_trunks'>['data']['attributes'] => ({
  name,
  configuration: {
    type: 'sip_configurations',
    // A browser is called by its own contact, encrypts with DTLS, and takes G.711 and key presses.
    attributes: {
      enabled_sip_registration: true,
      use_did_in_ruri: false,
      media_encryption_mode: 'srtp_dtls',
      codec_ids: [9, 10, 6],
    },
  },
});

/** The id of the person's trunk; null if there is none yet. */
export async function findTrunk(name: string): Promise<string | null> {
  const { data } = await get(pathWith('/v3/voice_in_trunks', { 'filter[name]': name, 'page[size]': 50 }));
  return data.find(({ attributes }) => attributes.name === name)?.id ?? null;
}

export async function ringHere(send: Send, didId: string, name: string): Promise<string> {
  const trunkId = (await findTrunk(name)) ?? (await makeTrunk(send, name));
  const former = await targetOf(didId);
  if (former?.id !== trunkId) remember(didId, former);
  await pointTo(send, didId, { type: 'voice_in_trunks', id: trunkId });
  return trunkId;
}

/** The number rings again where it rang before; where that is gone, or unknown here, it rings nowhere. */
export async function ringAsBefore(send: Send, didId: string): Promise<void> {
  const former = remembered(didId);
  await pointTo(send, didId, former).catch(async (error: unknown) => {
    if (former === null) throw error;
    await pointTo(send, didId, null);
  });
  localStorage.removeItem(keyOf(didId));
}

/** An outbound trunk for browsers alone: its address is nobody's (RFC 5737), so nothing else can use it. */
export async function makeOutboundTrunk(send: Send, name: string): Promise<string> {
  const made = await send('POST', pathWith('/v3/voice_out_trunks'), {
    data: {
      type: 'voice_out_trunks',
      attributes: {
        name,
        allow_any_did_as_cli: true,
        on_cli_mismatch_action: 'reject_call',
        authentication_method: { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['192.0.2.1'] } },
      },
    },
  });
  return made.data.id;
}

async function makeTrunk(send: Send, name: string): Promise<string> {
  const made = await send('POST', pathWith('/v3/voice_in_trunks'), {
    data: { type: 'voice_in_trunks', attributes: attributesOf(name) },
  });
  return made.data.id;
}

async function targetOf(didId: string): Promise<Target> {
  const { data } = await get(pathWith('/v3/dids/{id}', { id: didId, include: 'voice_in_trunk,voice_in_trunk_group' }));
  const { voice_in_trunk: trunk, voice_in_trunk_group: group } = data.relationships;
  const found = trunk?.data ?? group?.data ?? null;
  return found === null ? null : { type: found.type, id: found.id };
}

async function pointTo(send: Send, didId: string, target: Target): Promise<void> {
  const isGroup = target?.type === 'voice_in_trunk_groups';
  const relationships = {
    voice_in_trunk: { data: isGroup || target === null ? null : { type: 'voice_in_trunks' as const, id: target.id } },
    voice_in_trunk_group: { data: isGroup ? { type: 'voice_in_trunk_groups' as const, id: target.id } : null },
  };
  await send('PATCH', pathWith('/v3/dids/{id}', { id: didId }), { data: { id: didId, type: 'dids', relationships } });
}

const keyOf = (didId: string): string => `trunkline-rang-before ${didId}`;

function remember(didId: string, target: Target): void {
  localStorage.setItem(keyOf(didId), JSON.stringify(target));
}

function remembered(didId: string): Target {
  const text = localStorage.getItem(keyOf(didId));
  return text === null ? null : (JSON.parse(text) as Target);
}
