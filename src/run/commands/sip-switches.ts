/** `trunk sip`, and the options that it shares with carriers: how the equipment of a peer wants SIP. */
import { oneOf } from '../../base/fields.ts';
import { contactModes, reliableModes, type SipSwitches, switchTrunk } from '../../business/voice/sip-switches.ts';
import { changeCommand } from './change-command.ts';
import { onOrOff, option, type Values } from './command.ts';

export const switchOptions = {
  'user-phone': {
    type: 'string',
    value: 'on|off',
    summary: 'mark numbers with user=phone in what is sent to it (off)',
  },
  reliable: {
    type: 'string',
    value: 'off|supported|required',
    summary: 'reliable provisional responses, 100rel and PRACK (supported)',
  },
} as const;

export function switchesIn(values: Values<typeof switchOptions>): Partial<SipSwitches> {
  const userPhone = values['user-phone'];
  const reliable = option('reliable', values.reliable, oneOf(...reliableModes));
  return {
    ...(userPhone !== undefined && { userPhone: onOrOff('--user-phone', userPhone) }),
    ...(reliable !== undefined && { reliable }),
  };
}

const contactsOption = {
  contacts: {
    type: 'string',
    value: 'together|one-by-one',
    summary: 'how phones that have registered to it ring (together)',
  },
} as const;

const contactNames = contactModes.map((mode) => mode.replaceAll('_', '-'));

function contactsIn(text: string | undefined): (typeof contactModes)[number] | undefined {
  const name = option('contacts', text, oneOf(...contactNames));
  return contactModes.find((mode) => mode.replaceAll('_', '-') === name);
}

export const sipSwitchCommands = [
  changeCommand({
    action: 'voice_in_trunk.updated',
    name: 'trunk sip',
    summary: 'Set how the equipment behind an inbound trunk wants SIP, where peers differ.',
    positionals: ['TRUNK-ID'],
    options: { ...switchOptions, ...contactsOption },
    notes:
      'For equipment that takes a number without user=phone for a name, or that cannot do PRACK or insists on it. Phones with a higher q ring first, whatever --contacts says.',
    run: async ({ env, values, positionals: [trunkId = ''], out }) => {
      const contacts = contactsIn(values.contacts);
      const changes = { ...switchesIn(values), ...(contacts !== undefined && { contacts }) };
      const { accountId, before, after } = await switchTrunk(env, trunkId, changes);
      const userPhone = after.userPhone ? 'on' : 'off';
      const ring = after.contacts.replaceAll('_', ' ');
      out(`Trunk ${trunkId}: user=phone ${userPhone}, reliable responses ${after.reliable}, phones ring ${ring}.`);
      return {
        accountId,
        subject: { type: 'voice_in_trunks', id: trunkId },
        before: { ...before },
        after: { ...after },
      };
    },
  }),
];
