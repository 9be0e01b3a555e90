/** What a trunk that is reached by SIP sets about media and key presses: its fields, read from a trunk and written. */

import type { Trunk } from '../api/documents.ts';
import { attributesOf, type Field, type FieldValues, optionsOf } from '../parts/fields.tsx';
import { mediaFields } from './media-fields.ts';

type Configuration = Extract<Trunk['attributes']['configuration'], { type: 'sip_configurations' }>['attributes'];

const encryptions = ['disabled', 'srtp_sdes', 'srtp_dtls', 'zrtp'] as const;
const received = [1, 2, 3] as const;
const sent = [0, 1, 2, 3, 4] as const;

export const trunkMediaFields: readonly Field[] = [
  ...mediaFields,
  {
    name: 'symmetric_rtp_ignore_rtcp',
    label: 'Where RTCP comes from says nothing about RTP',
    about: 'For equipment that sends both from different addresses.',
    kind: 'switch',
  },
  {
    name: 'rx_dtmf_format_id',
    label: 'Key presses from you',
    about: 'How your equipment sends them.',
    kind: 'select',
    required: true,
    options: optionsOf({ 1: 'In RTP (RFC 2833)', 2: 'In SIP INFO', 3: 'In either' }),
  },
  {
    name: 'tx_dtmf_format_id',
    label: 'Key presses to you',
    about: 'How your equipment gets them.',
    kind: 'select',
    required: true,
    options: optionsOf({
      0: 'Not at all',
      1: 'In RTP (RFC 2833)',
      2: 'In SIP INFO, dtmf-relay',
      3: 'In SIP INFO, dtmf-relay, as some clients number it',
      4: 'In SIP INFO, dtmf',
    }),
  },
];

export const trunkMediaNames = trunkMediaFields.map(({ name }) => name);

/** Of a new trunk, and of one that is not reached by SIP, if it is not given. */
export function trunkMediaOf(sip: Configuration | null): FieldValues {
  return {
    media_encryption_mode: sip?.media_encryption_mode ?? 'disabled',
    force_symmetric_rtp: sip?.force_symmetric_rtp === true,
    rtp_ping: sip?.rtp_ping === true,
    rtp_timeout: sip?.rtp_timeout ?? 30,
    symmetric_rtp_ignore_rtcp: sip?.symmetric_rtp_ignore_rtcp === true,
    allowed_rtp_ips: sip?.allowed_rtp_ips ?? [],
    rx_dtmf_format_id: String(sip?.rx_dtmf_format_id ?? 1),
    tx_dtmf_format_id: String(sip?.tx_dtmf_format_id ?? 1),
  };
}

export function trunkMediaAttributes(values: FieldValues) {
  const given = attributesOf(trunkMediaFields, values);
  const { rtp_timeout: seconds, allowed_rtp_ips: addresses } = given;
  return {
    media_encryption_mode: encryptions.find((mode) => mode === given.media_encryption_mode) ?? 'disabled',
    force_symmetric_rtp: given.force_symmetric_rtp === true,
    rtp_ping: given.rtp_ping === true,
    // Out of range, so that an empty field is refused where it stands.
    rtp_timeout: typeof seconds === 'number' ? seconds : 0,
    symmetric_rtp_ignore_rtcp: given.symmetric_rtp_ignore_rtcp === true,
    allowed_rtp_ips: Array.isArray(addresses) && addresses.length > 0 ? addresses : null,
    rx_dtmf_format_id: received.find((id) => String(id) === given.rx_dtmf_format_id) ?? 1,
    tx_dtmf_format_id: sent.find((id) => String(id) === given.tx_dtmf_format_id) ?? 1,
  };
}
