/** Reads what rtpengine answers: dictionaries whose members may be missing. */
import type { Bencoded } from './bencode.ts';

export type Answer = { readonly [key: string]: Bencoded };

const nothing: Answer = {};

const isAnswer = (value: Bencoded | undefined): value is Answer =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const dictionaryOf = (value: Bencoded | undefined): Answer => (isAnswer(value) ? value : nothing);

export const listOf = (value: Bencoded | undefined): readonly Bencoded[] => (Array.isArray(value) ? value : []);

export const numberOf = (value: Bencoded | undefined): number => (typeof value === 'number' ? value : 0);

export const textOf = (value: Bencoded | undefined): string => (typeof value === 'string' ? value : '');
