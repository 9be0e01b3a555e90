/** The nested objects of the library: what lights a shelf. */
import { object } from '../../../src/engines/jsonapi/attributes.ts';
import { facts } from '../../../src/engines/jsonapi/facts.ts';

export const lamp = object(
  {
    led_lamps: {
      watts: facts('integer', { write: 'both', required: true, min: 1, max: 60 }),
      colour: facts('string', { write: 'both', nullable: true, enum: ['warm', 'cold'] }),
      dimmable: facts('boolean', { write: 'both', default: false }),
      lowest: facts('integer', { write: 'both', nullable: true, requiredIf: { dimmable: true }, maxField: 'watts' }),
      serial: facts('string', { nullable: true }),
    },
    candles: { hours: facts('integer', { write: 'both', required: true }) },
    /** Shown, never sent. */
    old_lamps: { name: facts('string') },
  },
  { write: 'both', nullable: true, patch: 'merge' },
);
