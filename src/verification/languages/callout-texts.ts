/**
 * What a call says, per language: an introduction before the digits, and the words before they are said again. The digits
 * are spoken one by one. The voice's recordings are made from these texts.
 */
export interface CalloutText {
  readonly intro: string;
  readonly again: string;
}

const say = (intro: string, again: string): CalloutText => ({ intro, again });

export const CALLOUT_TEXTS: Readonly<Record<string, CalloutText>> = {
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
