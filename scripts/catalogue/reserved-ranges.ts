/**
 * Ranges that a regulator keeps free for films and books: the demo catalogue uses nothing else where one exists. Each
 * is the first number of the range in E.164 and how many numbers follow. docs/catalogue.md names who set them aside.
 */
export interface ReservedRange {
  first: string;
  count: number;
}

/** NPA-555-0100 … 0199, in every area code of the North American Numbering Plan. */
export const nanpFiction = { nxx: '555', first: '0100', count: 100 };

/** By country, then by the prefix of the number group that sells from it. */
export const reservedRanges: Record<string, Record<string, ReservedRange[]>> = {
  GB: {
    '113': [{ first: '441134960000', count: 1000 }],
    '114': [{ first: '441144960000', count: 1000 }],
    '115': [{ first: '441154960000', count: 1000 }],
    '116': [{ first: '441164960000', count: 1000 }],
    '117': [{ first: '441174960000', count: 1000 }],
    '118': [{ first: '441184960000', count: 1000 }],
    '121': [{ first: '441214960000', count: 1000 }],
    '131': [{ first: '441314960000', count: 1000 }],
    '141': [{ first: '441414960000', count: 1000 }],
    '151': [{ first: '441514960000', count: 1000 }],
    '161': [{ first: '441614960000', count: 1000 }],
    '191': [{ first: '441914980000', count: 1000 }],
    '20': [{ first: '442079460000', count: 1000 }],
    '28': [{ first: '442896496000', count: 1000 }],
    '29': [{ first: '442920180000', count: 1000 }],
    '7700': [{ first: '447700900000', count: 1000 }],
    '808': [{ first: '448081570000', count: 1000 }],
    '306': [{ first: '443069990000', count: 1000 }],
  },
  AU: {
    '2': thousands('6125550', 10).concat(thousands('6127010', 10)),
    '3': thousands('6135550', 10).concat(thousands('6137010', 10)),
    '7': thousands('6175550', 10).concat(thousands('6177010', 10)),
    '8': thousands('6185550', 10).concat(thousands('6187010', 10)),
    '491': [{ first: '61491570156', count: 4 }],
    '1800': [{ first: '611800975707', count: 5 }],
    '1300': [{ first: '611300975707', count: 5 }],
  },
  FR: {
    '1': thousands('3319900', 10),
    '2': thousands('3326191', 10),
    '3': thousands('3335301', 10),
    '4': thousands('3346571', 10),
    '5': thousands('3353649', 10),
    '639': thousands('3363998', 10),
  },
  DE: {
    '30': [{ first: '493023125000', count: 1000 }],
    '69': [{ first: '496990009000', count: 1000 }],
    '40': [{ first: '494066969000', count: 1000 }],
    '221': [{ first: '492214710000', count: 1000 }],
    '89': [{ first: '498999998000', count: 1000 }],
    '171': [{ first: '491713920000', count: 100 }],
    '176': [{ first: '4917604069000', count: 100 }],
  },
  SE: {
    '8': [{ first: '46846500400', count: 100 }],
    '31': [{ first: '46313900600', count: 100 }],
    '40': [{ first: '46406280400', count: 100 }],
    '980': [{ first: '46980319200', count: 100 }],
    '70': [{ first: '46701740605', count: 95 }],
  },
  IE: {
    '20': thousands('35320910', 10),
  },
};

function thousands(base: string, howMany: number): ReservedRange[] {
  return Array.from({ length: howMany }, (_, i) => ({ first: `${base}${i}000`, count: 1000 }));
}
