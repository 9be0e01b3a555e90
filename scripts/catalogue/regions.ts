/** The regions of the countries whose numbers are sold by region: ISO 3166-2 codes with names as people write them. */
import { places } from './places.ts';
import { subdivisions } from './sources.ts';

/** Codes of the country's list that are no part of it here: they are countries themselves, or group other entries. */
const left: Record<string, string[]> = {
  US: ['AS', 'GU', 'MP', 'PR', 'UM', 'VI'],
  NL: ['AW', 'BQ1', 'BQ2', 'BQ3', 'CW', 'SX'],
  BE: ['VLG', 'WAL'],
  CN: ['HK', 'MO', 'TW'],
};
const only: Record<string, string[]> = {
  GB: ['ENG', 'SCT', 'WLS', 'NIR'],
  FR: ['20R', 'ARA', 'BFC', 'BRE', 'CVL', 'GES', 'HDF', 'IDF', 'NAQ', 'NOR', 'OCC', 'PAC', 'PDL'],
};
const written: Record<string, string> = {
  'BE-BRU': 'Bruxelles-Capitale',
  'CN-BJ': 'Beijing',
  'FR-PAC': "Provence-Alpes-Côte d'Azur",
  'FR-PDL': 'Pays de la Loire',
  'IN-PY': 'Puducherry',
  'ZA-KZN': 'KwaZulu-Natal',
  'ZA-NW': 'North West',
  'IT-23': "Valle d'Aosta",
  'IT-32': 'Trentino-Alto Adige',
};
/**
 * The standard romanises Japanese in a way that few readers outside Japan know; these are the prefectures from 01 on.
 */
const prefectures = (
  'Hokkaido Aomori Iwate Miyagi Akita Yamagata Fukushima Ibaraki Tochigi Gunma Saitama Chiba Tokyo Kanagawa Niigata ' +
  'Toyama Ishikawa Fukui Yamanashi Nagano Gifu Shizuoka Aichi Mie Shiga Kyoto Osaka Hyogo Nara Wakayama Tottori Shimane ' +
  'Okayama Hiroshima Yamaguchi Tokushima Kagawa Ehime Kochi Fukuoka Saga Nagasaki Kumamoto Oita Miyazaki Kagoshima Okinawa'
).split(' ');

export function regions(): Record<string, [code: string, name: string][]> {
  const withRegions = Object.keys(places).filter((iso) => !('' in (places[iso] ?? {})));
  const sold = [...withRegions, 'US', 'CA', 'BR'].sort();
  return Object.fromEntries(sold.map((iso) => [iso, regionsOf(iso)]));
}

function regionsOf(iso: string): [string, string][] {
  return subdivisions(iso)
    .filter(({ code }) => only[iso]?.includes(code.slice(3)) ?? !left[iso]?.includes(code.slice(3)))
    .map(({ code, name }): [string, string] => [code, readable(code, name)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function readable(code: string, name: string): string {
  if (code.startsWith('JP-')) return prefectures[Number(code.slice(3)) - 1] ?? name;
  if (written[code]) return written[code];
  const plain = code.startsWith('IN-') ? name.normalize('NFD').replaceAll('\u0304', '').normalize('NFC') : name;
  const [main = plain, before] = plain.split(', ');
  const turned = before ? `${before} ${main}` : main;
  return turned.replace(/ (Sheng|Shi|Zizhiqu|Zhuangzu Zizhiqu|Huizu Zizhiqu|Uygur Zizhiqu)$/, '').replaceAll('’', "'");
}
