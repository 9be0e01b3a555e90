/** Which description belongs to which file of a form. */
import { expect, test } from 'vitest';
import { describedFiles, type FormPart } from './receive-upload.ts';

const file: FormPart = { kind: 'file' };
const text = (words: string): FormPart => ({ kind: 'description', text: words });

test.each([
  ['none', [file, file], [null, null]],
  ['each before its file', [text('a'), file, text('b'), file], ['a', 'b']],
  ['each after its file', [file, text('a'), file, text('b')], ['a', 'b']],
  ['all before all files', [text('a'), text('b'), file, file], ['a', 'b']],
  ['only the first, before', [text('a'), file, file], ['a', null]],
  ['only the second, after', [file, file, text('b')], [null, 'b']],
  ['an empty one', [text(''), file], [null]],
] as const)('descriptions of files: %s', (_name, parts, expected) => {
  expect(describedFiles(parts)).toEqual(expected);
});
