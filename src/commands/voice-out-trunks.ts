/** `voice-out-trunks ip-only`: sets what only an operator may change of an outbound trunk. */
import { allowByAddress } from '../platform/outbound-trunks/allow-by-address.ts';
import { defineCommand } from './command.ts';
import { environmentOptions, withEnvironment } from './open-environment.ts';

export const voiceOutTrunksIpOnlyCommand = defineCommand({
  name: 'voice-out-trunks ip-only',
  summary: 'Let an outbound trunk in by its addresses alone, without credentials.',
  positionals: ['TRUNK-ID', 'ADDRESS...'],
  options: {
    ...environmentOptions,
    'tech-prefix': { type: 'string', value: 'DIGITS', summary: 'must precede every number it dials (none)' },
  },
  notes: 'The customer can change it to one of the other methods, and not back.',
  run: ({ values, positionals: [trunkId = '', ...addresses], out }) =>
    withEnvironment(values, async (env) => {
      await allowByAddress(env, trunkId, { addresses, techPrefix: values['tech-prefix'] ?? null });
      out(`Trunk ${trunkId} is let in from ${addresses.join(', ')}.`);
    }),
});
