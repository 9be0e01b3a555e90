/** Texts of messages, and the choice of a language. */
import { describe, expect, it } from 'vitest';
import { messageParts } from './delivery/message-parts.ts';
import { calloutTexts, canonicalTag, renderCallout, renderSms, selectLanguage, smsTemplates } from './languages.ts';

const smsTags =
  'bg-BG bs-BA cs-CZ da-DK de-DE el-GR en-GB en-US es-419 es-ES et-EE fi-FI fr-FR he-IL hr-HR hu-HU is-IS it-IT ja-JP ka-GE lt-LT lv-LV mk-MK ms-MY mt-MT nb-NO nl-NL pl-PL pt-BR pt-PT ro-RO ru-RU sk-SK sl-SI sq-AL sr-RS sv-SE th-TH uk-UA zh-CN zh-HK';
const calloutTags =
  'af-ZA ar-AE ar-EG ar-SA bg-BG bs-BA cs-CZ da-DK de-DE el-GR en-GB en-US es-419 es-ES et-EE fi-FI fr-FR he-IL hi-IN hr-HR hu-HU id-ID is-IS it-IT ja-JP lt-LT lv-LV mk-MK ms-MY nb-NO nl-NL pl-PL pt-BR pt-PT ro-RO sk-SK sl-SI sr-RS sv-SE sw-KE th-TH tl-PH tr-CY tr-TR uk-UA ur-PK vi-VN zh-CN zh-HK';

it('has a template for each of the 41 SMS tags, and a text for each of the 49 callout tags', () => {
  expect(Object.keys(smsTemplates)).toEqual(smsTags.split(' '));
  expect(Object.keys(calloutTexts)).toEqual(calloutTags.split(' '));
});

it.each(Object.entries(smsTemplates))(
  '%s holds one placeholder, and nothing that a network would rewrite',
  (_tag, template) => {
    expect(template.split('{{CODE}}')).toHaveLength(2);
    expect(template.replace('{{CODE}}', '')).not.toMatch(/[\d{}\n]|https?:/);
  },
);

describe('one message, with eight digits and an application hash', () => {
  /** The GSM 03.38 alphabet, said here anew: the test must not share a mistake with the code. */
  const basic =
    '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
  const extension = '\f^{}\\[~]|€';
  const septets = (text: string) =>
    [...text].reduce((sum, character) => {
      if (basic.includes(character)) return sum + 1;
      return extension.includes(character) ? sum + 2 : Number.NaN;
    }, 0);

  it.each(Object.entries(smsTemplates))('holds all of %s', (_tag, template) => {
    for (const hash of [null, 'FA+9qCX9VSu', '///////////']) {
      const text = renderSms(template, '12345678', hash);
      const inGsm = septets(text);
      if (Number.isNaN(inGsm)) expect(text.length).toBeLessThanOrEqual(70);
      else expect(inGsm).toBeLessThanOrEqual(160);
      expect(messageParts(text, 1).parts).toHaveLength(1);
      // Google's documentation says 140 bytes and not of which encoding; this is the longest.
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(140);
    }
  });
});

it.each([
  ['pt-br', 'pt-BR'],
  ['EN-us', 'en-US'],
  ['pl', 'pl'],
  ['es-419', 'es-419'],
  ['yue', 'yue'],
  ['zh-Hans', 'zh-HANS'],
])('canonical form of %j is %j', (tag, canonical) => {
  expect(canonicalTag(tag)).toBe(canonical);
});

describe('the choice of a language', () => {
  it('takes the first wish that has a text, whole', () => {
    expect(selectLanguage(smsTemplates, ['pl', 'xx-YY', 'pt-BR', 'de-DE'])).toBe('pt-BR');
  });
  it('falls back to en-US', () => {
    expect(selectLanguage(smsTemplates, [])).toBe('en-US');
    expect(selectLanguage(smsTemplates, ['pl'])).toBe('en-US');
    expect(selectLanguage(smsTemplates, ['constructor'])).toBe('en-US');
  });
  it('is made per channel', () => {
    expect(selectLanguage(calloutTexts, ['ru-RU'])).toBe('en-US');
    expect(selectLanguage(smsTemplates, ['vi-VN'])).toBe('en-US');
  });
});

it('frames a message with an application hash', () => {
  expect(renderSms('Code {{CODE}}!', '0042', null)).toBe('Code 0042!');
  expect(renderSms('Code {{CODE}}!', '0042', 'FA+9qCX9VSu')).toBe('<#> Code 0042! FA+9qCX9VSu');
});

it('speaks a code twice, digit by digit', () => {
  expect(renderCallout({ intro: 'Your code is', again: 'Again' }, '0042')).toBe('Your code is 0 0 4 2. Again 0 0 4 2.');
});
