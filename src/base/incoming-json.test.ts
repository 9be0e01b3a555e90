/** JSON from strangers: what is refused before anything reads it. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isStorable, readJson, readStorableJson, UnreadableJson } from './incoming-json.ts';

const bytes = (text: string) => Buffer.from(text);

describe('JSON that clients send', () => {
  it.each([
    ['a high surrogate alone', '"\\ud800"'],
    ['a low surrogate alone', '"\\udc00"'],
    ['a pair in the wrong order', '"\\udc00\\ud800"'],
    ['a lone one after a pair', '"\\ud83d\\ude00\\ud83d"'],
    ['a lone one after an escaped backslash', '"\\\\\\ud800"'],
    ['a lone one in the name of a member', '{"\\uDFFF":1}'],
    ['a lone one in a list', '[["ok","\\uD800"]]'],
    ['broken JSON', '{"a":'],
    ['nothing', ''],
  ])('refuses %s', (_what, text) => {
    expect(() => readJson(bytes(text))).toThrow(UnreadableJson);
  });

  it.each([
    ['a byte that no character begins with', [0x22, 0xff, 0x22]],
    ['a character cut short', [0x22, 0xc3, 0x22]],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
  ])('refuses %s', (_what, sent) => {
    expect(() => readJson(Buffer.from(sent))).toThrow(UnreadableJson);
  });

  it('takes an escaped backslash before the letters of a surrogate for what it is', () => {
    expect(readJson(bytes('"\\\\ud800"'))).toBe('\\ud800');
  });

  it('reads every JSON text whose strings are well-formed, escaped or not', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), fc.boolean(), (value, escaped) => {
        const text = JSON.stringify(value);
        const written = escaped
          ? text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          : text;
        expect(readJson(bytes(written))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts a string exactly when it is well-formed', () => {
    const units = fc.array(fc.constantFrom('\ud800', '\udbff', '\udc00', '\udfff', 'a', '\\', '"', 'u', 'd800'));
    fc.assert(
      fc.property(units, (parts) => {
        const text = parts.join('');
        const read = () => readJson(bytes(JSON.stringify(text)));
        if (text.isWellFormed()) expect(read()).toBe(text);
        else expect(read).toThrow(UnreadableJson);
      }),
    );
  });
});

describe('what can be stored', () => {
  it.each([
    ['a\0', false],
    [{ 'a\0': 1 }, false],
    [[{ a: ['\0'] }], false],
    [{ a: ['b', 1, null, true] }, true],
  ])('%j: %j', (value, storable) => {
    expect(isStorable(value)).toBe(storable);
  });
});

describe('a body that is to be stored', () => {
  it('is refused exactly when one of its strings holds NUL, however that is written', () => {
    const units = fc.array(fc.constantFrom('\0', 'a', '\\', '"', 'u', '0000', 'u0000', '\\u0000'));
    fc.assert(
      fc.property(units, fc.boolean(), (parts, isName) => {
        const text = parts.join('');
        const value = isName ? [{ [text]: 1 }] : { a: [text, 'b'] };
        const read = () => readStorableJson(bytes(JSON.stringify(value)));
        if (isStorable(value)) expect(read()).toEqual(value);
        else expect(read).toThrow(UnreadableJson);
      }),
    );
  });

  it('is not looked at string by string', () => {
    let looked = 0;
    const { entries } = Object;
    const spy = vi.spyOn(Object, 'entries').mockImplementation((value: object) => {
      looked += 1;
      return entries(value);
    });
    readStorableJson(bytes(JSON.stringify(Array.from({ length: 10_000 }, (_, n) => ({ n })))));
    spy.mockRestore();
    expect(looked).toBe(0);
  });
});
