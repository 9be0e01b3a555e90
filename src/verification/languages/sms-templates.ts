/**
 * The text messages, one per language, each with exactly one `{{CODE}}`. Clients find the code by the literal text around
 * it, so a text may be reworded but holds no digits and nothing that a network would rewrite (links, control characters).
 */
export const SMS_TEMPLATES: Readonly<Record<string, string>> = {
  'bg-BG': 'Вашият код за потвърждение е {{CODE}}. Не го споделяйте с никого.',
  'bs-BA': 'Vaš kod za potvrdu je {{CODE}}. Nemojte ga dijeliti ni s kim.',
  'cs-CZ': 'Váš ověřovací kód je {{CODE}}. Nikomu ho nesdělujte.',
  'da-DK': 'Din bekræftelseskode er {{CODE}}. Del den ikke med nogen.',
  'de-DE': 'Ihr Bestätigungscode lautet {{CODE}}. Geben Sie ihn nicht weiter.',
  'el-GR': 'Ο κωδικός επαλήθευσής σας είναι {{CODE}}. Μην τον δώσετε σε κανέναν.',
  'en-GB': 'Your verification code is {{CODE}}. Please do not share it with anyone.',
  'en-US': 'Your verification code is {{CODE}}. Do not share it with anyone.',
  'es-419': 'Tu código de verificación es {{CODE}}. No lo compartas con nadie.',
  'es-ES': 'Su código de verificación es {{CODE}}. No lo comparta con nadie.',
  'et-EE': 'Teie kinnituskood on {{CODE}}. Ärge jagage seda kellegagi.',
  'fi-FI': 'Vahvistuskoodisi on {{CODE}}. Älä kerro sitä kenellekään.',
  'fr-FR': 'Votre code de vérification est {{CODE}}. Ne le communiquez à personne.',
  'he-IL': 'קוד האימות שלך הוא {{CODE}}. אין לשתף אותו עם אף אחד.',
  'hr-HR': 'Vaš kôd za potvrdu je {{CODE}}. Nemojte ga dijeliti ni s kim.',
  'hu-HU': 'Az Ön ellenőrző kódja: {{CODE}}. Ne adja meg senkinek.',
  'is-IS': 'Staðfestingarkóðinn þinn er {{CODE}}. Ekki deila honum með neinum.',
  'it-IT': 'Il tuo codice di verifica è {{CODE}}. Non condividerlo con nessuno.',
  'ja-JP': '認証コードは {{CODE}} です。他の人に教えないでください。',
  'ka-GE': 'თქვენი დადასტურების კოდია {{CODE}}. არავის გაუზიაროთ.',
  'lt-LT': 'Jūsų patvirtinimo kodas: {{CODE}}. Niekam jo neatskleiskite.',
  'lv-LV': 'Jūsu apstiprinājuma kods ir {{CODE}}. Neizpaudiet to nevienam.',
  'mk-MK': 'Вашиот код за потврда е {{CODE}}. Не го споделувајте со никого.',
  'ms-MY': 'Kod pengesahan anda ialah {{CODE}}. Jangan kongsikan dengan sesiapa.',
  'mt-MT': "Il-kodiċi ta' verifika tiegħek huwa {{CODE}}. Taqsmu ma' ħadd.",
  'nb-NO': 'Bekreftelseskoden din er {{CODE}}. Ikke del den med noen.',
  'nl-NL': 'Uw verificatiecode is {{CODE}}. Deel deze met niemand.',
  'pl-PL': 'Twój kod weryfikacyjny to {{CODE}}. Nie udostępniaj go nikomu.',
  'pt-BR': 'Seu código de verificação é {{CODE}}. Não o compartilhe com ninguém.',
  'pt-PT': 'O seu código de verificação é {{CODE}}. Não o partilhe com ninguém.',
  'ro-RO': 'Codul dvs. de verificare este {{CODE}}. Nu îl comunicați nimănui.',
  'ru-RU': 'Ваш код подтверждения: {{CODE}}. Никому его не сообщайте.',
  'sk-SK': 'Váš overovací kód je {{CODE}}. Nikomu ho neprezrádzajte.',
  'sl-SI': 'Vaša potrditvena koda je {{CODE}}. Ne delite je z nikomer.',
  'sq-AL': 'Kodi juaj i verifikimit është {{CODE}}. Mos ia tregoni askujt.',
  'sr-RS': 'Ваш код за потврду је {{CODE}}. Немојте га делити ни са ким.',
  'sv-SE': 'Din verifieringskod är {{CODE}}. Dela den inte med någon.',
  'th-TH': 'รหัสยืนยันของคุณคือ {{CODE}} โปรดอย่าบอกรหัสนี้แก่ผู้ใด',
  'uk-UA': 'Ваш код підтвердження: {{CODE}}. Нікому його не повідомляйте.',
  'zh-CN': '您的验证码是 {{CODE}}，请勿告诉他人。',
  'zh-HK': '您的驗證碼是 {{CODE}}，請勿告訴他人。',
};

/** What reaches the handset: with an application hash the text is framed so that Android hands it to that application. */
export function renderSms(template: string, code: string, appHash: string | null): string {
  const text = template.replace('{{CODE}}', code);
  return appHash === null ? text : `<#> ${text} ${appHash}`;
}
