/** The certificates with which calls to carriers are signed (STIR/SHAKEN). Private keys are set and never shown. */
import { boolean, dateTime, text } from '../../../engines/jsonapi/attributes.ts';
import { anyOf, flag } from '../../../engines/jsonapi/filters.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { nameContains, whyChanged } from './shared-members.ts';
import {
  addSigningCertificate,
  changeSigningCertificate,
  dropSigningCertificate,
} from './signing-certificates.writes.ts';

const states = {
  signs: 'Calls are signed with it.',
  ready: 'Valid, but a newer one signs; it signs for numbers that the newer one is not for.',
  next: 'Not valid yet; it signs from `valid_from` on.',
  ended: 'It has ended.',
  off: 'Switched off.',
};

const now = 'environment_time.now()';
const isValid = (row: string) => `${row}.enabled and ${row}.valid_from <= ${now} and ${row}.valid_until >= ${now}`;
const state = `case when t.valid_until < ${now} then 'ended' when not t.enabled then 'off'
  when t.valid_from > ${now} then 'next'
  when t.id = (select o.id from signing_certificates o where ${isValid('o')} order by o.valid_from desc, o.id limit 1)
  then 'signs' else 'ready' end`;

export const signingCertificates = operatorType('signing_certificates', {
  group: 'Carriers and providers',
  noun: 'signing certificate',
  deleteVerb: 'Remove',
  summary: 'A certificate of the operator, with which calls to carriers are signed; the newest valid one does it.',
  attributes: {
    name: text({ write: 'create', required: true, doc: 'Used once.' }),
    chain: text({
      write: 'create',
      required: true,
      maxLength: 40_000,
      doc: 'PEM: the certificate of the signer, then those of the authorities above it. Others fetch it at `url`.',
    }),
    private_key: text({
      write: 'create',
      writeOnly: true,
      required: true,
      maxLength: 8_000,
      doc: 'PEM, without a passphrase; stored encrypted and never shown.',
    }),
    url: text({
      write: 'both',
      nullable: true,
      maxLength: 512,
      doc: 'Where others fetch the chain, by https. Null, or left out: at this server, if its public URL is https.',
    }),
    enabled: boolean({ write: 'both', doc: 'Whether calls may be signed with it; yes if left out.' }),
    state: text({ values: states, column: state, doc: 'What it does now.' }),
    signer: text({ doc: 'Who signs, as the certificate says.' }),
    valid_from: dateTime({ doc: 'Since when all certificates of the chain are valid.' }),
    valid_until: dateTime({ doc: 'Until when they are.' }),
    created_at: dateTime({ doc: 'When it was added.' }),
    ...whyChanged,
  },
  filters: { name: anyOf('t.name'), ...nameContains, enabled: flag('t.enabled') },
  sort: ['name', 'valid_from', 'valid_until'],
  defaultSort: '-valid_from',
  create: (context, { attributes: { reason, private_key: privateKey, ...given } }) =>
    refusing(() => addSigningCertificate(actingOf(context, reason), { ...given, privateKey })),
  update: (context, id, { attributes: { reason, ...settings } }) =>
    refusing(() => changeSigningCertificate(actingOf(context, reason), { id }, settings)),
  delete: (context, id) => refusing(() => dropSigningCertificate(actingOf(context), { id })),
});
