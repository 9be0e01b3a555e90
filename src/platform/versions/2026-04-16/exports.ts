/** Statuses were capitalised, and the filters of an export were not shown again. */
import { type Change, capitalised, otherWords, unshown } from '../change.ts';

export const exports: readonly Change[] = [
  otherWords('exports', 'status', capitalised(['pending', 'processing', 'completed'])),
  unshown('exports', { attributes: ['filters'] }),
];
