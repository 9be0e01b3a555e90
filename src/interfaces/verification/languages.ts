/** The languages of the service: the texts of messages and calls, and which language a start gets. */

/**
 * Text messages, one per language, each with exactly one `{{CODE}}`. Clients find the code by the literal text around
 * it, so a text may be reworded, but has no digits and nothing that a network would rewrite (links, control
 * characters). With eight digits and an application hash, each fits one message of its alphabet and 140 bytes: Android
 * reads no longer ones, and a network cuts the hash off a message of two parts.
 */
export const smsTemplates: Readonly<Record<string, string>> = {
  'bg-BG': 'Код за потвърждение: {{CODE}}. Не го споделяйте.',
  'bs-BA': 'Kod za potvrdu: {{CODE}}. Ne dijelite ga ni s kim.',
  'cs-CZ': 'Váš ověřovací kód je {{CODE}}. Nikomu ho nesdělujte.',
  'da-DK': 'Din bekræftelseskode er {{CODE}}. Del den ikke med nogen.',
  'de-DE': 'Ihr Bestätigungscode lautet {{CODE}}. Geben Sie ihn nicht weiter.',
  'el-GR': 'Κωδικός επαλήθευσης: {{CODE}}. Μην τον μοιραστείτε.',
  'en-GB': 'Your verification code is {{CODE}}. Please do not share it with anyone.',
  'en-US': 'Your verification code is {{CODE}}. Do not share it with anyone.',
  'es-419': 'Código de verificación: {{CODE}}. No lo compartas.',
  'es-ES': 'Código de verificación: {{CODE}}. No lo comparta.',
  'et-EE': 'Teie kinnituskood on {{CODE}}. Ärge jagage seda kellegagi.',
  'fi-FI': 'Vahvistuskoodisi on {{CODE}}. Älä kerro sitä kenellekään.',
  'fr-FR': 'Votre code de vérification est {{CODE}}. Ne le communiquez à personne.',
  'he-IL': 'קוד האימות שלך הוא {{CODE}}. אין לשתף אותו עם אף אחד.',
  'hr-HR': 'Kôd za potvrdu: {{CODE}}. Ne dijelite ga ni s kim.',
  'hu-HU': 'Az Ön ellenőrző kódja: {{CODE}}. Ne adja meg senkinek.',
  'is-IS': 'Staðfestingarkóði: {{CODE}}. Ekki deila honum.',
  'it-IT': 'Il tuo codice di verifica è {{CODE}}. Non condividerlo con nessuno.',
  'ja-JP': '認証コードは {{CODE}} です。他の人に教えないでください。',
  'ka-GE': 'დადასტურების კოდი: {{CODE}}. არავის გაუზიაროთ.',
  'lt-LT': 'Patvirtinimo kodas: {{CODE}}. Niekam jo nesakykite.',
  'lv-LV': 'Apstiprinājuma kods: {{CODE}}. Neizpaudiet to.',
  'mk-MK': 'Код за потврда: {{CODE}}. Не го споделувајте.',
  'ms-MY': 'Kod pengesahan anda ialah {{CODE}}. Jangan kongsikan dengan sesiapa.',
  'mt-MT': "Il-kodiċi ta' verifika: {{CODE}}. Taqsmu ma' ħadd.",
  'nb-NO': 'Bekreftelseskoden din er {{CODE}}. Ikke del den med noen.',
  'nl-NL': 'Uw verificatiecode is {{CODE}}. Deel deze met niemand.',
  'pl-PL': 'Kod weryfikacyjny: {{CODE}}. Nikomu go nie podawaj.',
  'pt-BR': 'Código de verificação: {{CODE}}. Não o compartilhe.',
  'pt-PT': 'Código de verificação: {{CODE}}. Não o partilhe.',
  'ro-RO': 'Cod de verificare: {{CODE}}. Nu îl dați nimănui.',
  'ru-RU': 'Код подтверждения: {{CODE}}. Никому его не сообщайте.',
  'sk-SK': 'Overovací kód: {{CODE}}. Nikomu ho neprezrádzajte.',
  'sl-SI': 'Potrditvena koda: {{CODE}}. Ne delite je z nikomer.',
  'sq-AL': 'Kodi i verifikimit: {{CODE}}. Mos ia tregoni askujt.',
  'sr-RS': 'Код за потврду: {{CODE}}. Не делите га ни са ким.',
  'sv-SE': 'Din verifieringskod är {{CODE}}. Dela den inte med någon.',
  'th-TH': 'รหัสยืนยัน: {{CODE}} โปรดอย่าบอกผู้ใด',
  'uk-UA': 'Код підтвердження: {{CODE}}. Нікому його не кажіть.',
  'zh-CN': '您的验证码是 {{CODE}}，请勿告诉他人。',
  'zh-HK': '您的驗證碼是 {{CODE}}，請勿告訴他人。',
};

/**
 * What reaches the handset: with an application hash the text is framed so that Android hands it to that application.
 */
export function renderSms(template: string, code: string, appHash: string | null): string {
  const text = template.replace('{{CODE}}', code);
  return appHash === null ? text : `<#> ${text} ${appHash}`;
}

/**
 * What a call says: an introduction, the digits one by one, and the words before they are repeated. The voice
 * recordings are made from these texts.
 */
interface CalloutText {
  readonly intro: string;
  readonly again: string;
}

const say = (intro: string, again: string): CalloutText => ({ intro, again });

export const calloutTexts: Readonly<Record<string, CalloutText>> = {
  'af-ZA': say('Jou verifikasiekode is', 'Weer eens, jou kode is'),
  'ar-AE': say('رمز التحقق الخاص بك هو', 'مرة أخرى، الرمز هو'),
  'ar-EG': say('رمز التحقق الخاص بك هو', 'مرة أخرى، الرمز هو'),
  'ar-SA': say('رمز التحقق الخاص بك هو', 'مرة أخرى، الرمز هو'),
  'bg-BG': say('Вашият код за потвърждение е', 'Още веднъж, кодът е'),
  'bs-BA': say('Vaš kod za potvrdu je', 'Još jednom, kod je'),
  'cs-CZ': say('Váš ověřovací kód je', 'Ještě jednou, kód je'),
  'da-DK': say('Din bekræftelseskode er', 'En gang til: koden er'),
  'de-DE': say('Ihr Bestätigungscode lautet', 'Noch einmal, der Code lautet'),
  'el-GR': say('Ο κωδικός επαλήθευσής σας είναι', 'Και πάλι, ο κωδικός είναι'),
  'en-GB': say('Your verification code is', 'Once again, your code is'),
  'en-US': say('Your verification code is', 'Once again, your code is'),
  'es-419': say('Tu código de verificación es', 'Una vez más, tu código es'),
  'es-ES': say('Su código de verificación es', 'Una vez más, su código es'),
  'et-EE': say('Teie kinnituskood on', 'Veel kord, kood on'),
  'fi-FI': say('Vahvistuskoodisi on', 'Vielä kerran, koodi on'),
  'fr-FR': say('Votre code de vérification est', 'Une nouvelle fois, le code est'),
  'he-IL': say('קוד האימות שלך הוא', 'שוב, הקוד הוא'),
  'hi-IN': say('आपका सत्यापन कोड है', 'एक बार फिर, आपका कोड है'),
  'hr-HR': say('Vaš kôd za potvrdu je', 'Još jednom, kôd je'),
  'hu-HU': say('Az Ön ellenőrző kódja', 'Még egyszer, a kód'),
  'id-ID': say('Kode verifikasi Anda adalah', 'Sekali lagi, kode Anda adalah'),
  'is-IS': say('Staðfestingarkóðinn þinn er', 'Aftur, kóðinn er'),
  'it-IT': say('Il tuo codice di verifica è', 'Ancora una volta, il codice è'),
  'ja-JP': say('認証コードをお知らせします。', '繰り返します。'),
  'lt-LT': say('Jūsų patvirtinimo kodas yra', 'Dar kartą, kodas yra'),
  'lv-LV': say('Jūsu apstiprinājuma kods ir', 'Vēlreiz, kods ir'),
  'mk-MK': say('Вашиот код за потврда е', 'Уште еднаш, кодот е'),
  'ms-MY': say('Kod pengesahan anda ialah', 'Sekali lagi, kod anda ialah'),
  'nb-NO': say('Bekreftelseskoden din er', 'En gang til: koden er'),
  'nl-NL': say('Uw verificatiecode is', 'Nogmaals, de code is'),
  'pl-PL': say('Twój kod weryfikacyjny to', 'Powtarzam, kod to'),
  'pt-BR': say('Seu código de verificação é', 'Mais uma vez, seu código é'),
  'pt-PT': say('O seu código de verificação é', 'Mais uma vez, o código é'),
  'ro-RO': say('Codul dumneavoastră de verificare este', 'Încă o dată, codul este'),
  'sk-SK': say('Váš overovací kód je', 'Ešte raz, kód je'),
  'sl-SI': say('Vaša potrditvena koda je', 'Še enkrat, koda je'),
  'sr-RS': say('Ваш код за потврду је', 'Још једном, код је'),
  'sv-SE': say('Din verifieringskod är', 'En gång till, koden är'),
  'sw-KE': say('Nambari yako ya uthibitishaji ni', 'Tena, nambari yako ni'),
  'th-TH': say('รหัสยืนยันของคุณคือ', 'อีกครั้ง รหัสของคุณคือ'),
  'tl-PH': say('Ang iyong verification code ay', 'Muli, ang iyong code ay'),
  'tr-CY': say('Doğrulama kodunuz', 'Tekrar ediyorum, kodunuz'),
  'tr-TR': say('Doğrulama kodunuz', 'Tekrar ediyorum, kodunuz'),
  'uk-UA': say('Ваш код підтвердження', 'Ще раз, ваш код'),
  'ur-PK': say('آپ کا تصدیقی کوڈ ہے', 'ایک بار پھر، آپ کا کوڈ ہے'),
  'vi-VN': say('Mã xác minh của bạn là', 'Xin nhắc lại, mã của bạn là'),
  'zh-CN': say('您的验证码是', '再说一遍，您的验证码是'),
  'zh-HK': say('您的驗證碼是', '再說一遍，您的驗證碼是'),
};

/** The call as text, as the sandbox's inbox shows it: the code twice, digit by digit. */
export function renderCallout(text: CalloutText, code: string): string {
  const digits = [...code].join(' ');
  return `${text.intro} ${digits}. ${text.again} ${digits}.`;
}

/** What every channel falls back to. */
export const defaultLanguage = 'en-US';

/** `pt-br` → `pt-BR`, for a tag of the accepted shape (`languages` in bodies.ts). */
export function canonicalTag(tag: string): string {
  const [primary = '', second] = tag.split('-');
  return second === undefined ? primary.toLowerCase() : `${primary.toLowerCase()}-${second.toUpperCase()}`;
}

/** The first requested tag that the catalogue has. Tags are compared as a whole: `pl` does not match `pl-PL`. */
export function selectLanguage(catalogue: Record<string, unknown>, requested: readonly string[]): string {
  return requested.find((tag) => Object.hasOwn(catalogue, tag)) ?? defaultLanguage;
}
