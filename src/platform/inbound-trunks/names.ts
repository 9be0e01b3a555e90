import { invalid, messages } from '../../jsonapi/errors.ts';

/** Trunks and groups share one space of names; the database refuses the second of a name. */
export const takenNames = { voice_in_names_taken: invalid.attribute('name', messages.taken) };
