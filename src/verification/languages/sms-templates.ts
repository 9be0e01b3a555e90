/**
 * The text messages, one per language, each with exactly one `{{CODE}}`. Clients find the code by the literal text around
 * it, so a text may be reworded but holds no digits and nothing that a network would rewrite (links, control characters).
 * With eight digits and framed for an application hash, each fits one message of its alphabet and 140 bytes: Android reads
 * no longer ones, and a network cuts the hash off a message of two parts.
 */
export const SMS_TEMPLATES: Readonly<Record<string, string>> = {
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

/** What reaches the handset: with an application hash the text is framed so that Android hands it to that application. */
export function renderSms(template: string, code: string, appHash: string | null): string {
  const text = template.replace('{{CODE}}', code);
  return appHash === null ? text : `<#> ${text} ${appHash}`;
}
