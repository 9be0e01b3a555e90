/** Settings of media that trunks of both directions have, as fields of their forms. */
import { type Field, optionsOf } from '../parts/fields.tsx';

export const mediaFields: readonly Field[] = [
  {
    name: 'media_encryption_mode',
    label: 'Media encryption',
    about: 'What your side must use; a call with anything else is refused. Carriers have their own.',
    kind: 'select',
    required: true,
    options: optionsOf({
      disabled: 'None',
      srtp_sdes: 'SRTP, keys in SDP (SDES)',
      srtp_dtls: 'SRTP, keys by DTLS',
      zrtp: 'ZRTP',
    }),
  },
  {
    name: 'allowed_rtp_ips',
    label: 'Media addresses',
    about: 'Addresses and networks that media may come from; empty allows any.',
    kind: 'words',
  },
  {
    name: 'force_symmetric_rtp',
    label: 'Send media to where it comes from',
    about: 'For equipment behind NAT. Otherwise only where it describes an address that cannot be reached.',
    kind: 'switch',
  },
  {
    name: 'rtp_ping',
    label: 'Open a NAT with empty packets first',
    about: 'Until your equipment sends.',
    kind: 'switch',
  },
  {
    name: 'rtp_timeout',
    label: 'Silence limit',
    about: 'Seconds without media from your equipment after which a call ends; on hold it need not send.',
    kind: 'number',
    required: true,
  },
];
