/**
 * Areas: groups of neighbouring cities that are known under one name. "@" names the region where a city's name is not
 * enough.
 */
const areas: Record<string, Record<string, string>> = {
  GB: {
    'Greater London': 'London',
    'Greater Manchester': 'Manchester, Bolton, Wigan',
    'West Midlands': 'Birmingham, Coventry, Wolverhampton',
    'West Yorkshire': 'Leeds, Bradford, Halifax, Huddersfield, Wakefield',
    'South Yorkshire': 'Sheffield, Doncaster',
    Merseyside: 'Liverpool',
    'Tyne and Wear': 'Newcastle upon Tyne',
  },
  DE: {
    Ruhrgebiet: 'Essen, Dortmund, Duisburg, Bochum, Gelsenkirchen, Hagen, Hamm',
    'Rhein-Main': 'Frankfurt am Main, Wiesbaden, Mainz, Darmstadt, Hanau, Aschaffenburg',
  },
  FR: { 'Grand Paris': 'Paris, Boulogne-Billancourt, Saint-Denis, Montreuil' },
  NL: { Randstad: 'Amsterdam, Rotterdam, The Hague, Utrecht, Haarlem, Leiden, Delft, Zoetermeer, Dordrecht, Gouda' },
  US: {
    'San Francisco Bay Area': 'San Francisco, Oakland, San Jose, Palo Alto, Fremont@CA, Pleasanton, Santa Rosa',
    'Greater Los Angeles': 'Los Angeles, Long Beach, Anaheim, Santa Monica, Pasadena, Burbank, Irvine, Riverside',
    'New York metropolitan area': 'New York, Brooklyn, Bronx, Staten Island, Newark@NJ, Jersey City, White Plains',
  },
  CA: {
    'Greater Toronto Area': 'Toronto, Mississauga, Brampton, Markham, Oakville, Oshawa',
    'Metro Vancouver': 'Vancouver, Burnaby, Surrey, Richmond, Langley',
  },
  AU: { 'Greater Sydney': 'Sydney, Gosford' },
  BR: {
    'Grande Rio': 'Rio de Janeiro, Niterói, Nova Iguaçu, Duque de Caxias',
    'Grande Recife': 'Recife, Olinda, Jaboatão dos Guararapes, Paulista',
  },
  JP: { Keihanshin: 'Osaka, Kyoto, Kobe, Sakai, Nishinomiya' },
  IN: { 'National Capital Region': 'New Delhi, Gurugram, Faridabad, Ghaziabad' },
};

export interface City {
  country: string;
  region: string | null;
  name: string;
}

/** Country → area → [region, city] of each city in it. */
export function areasWithCities(
  cities: City[],
): Record<string, Record<string, [region: string | null, city: string][]>> {
  return Object.fromEntries(
    Object.entries(areas).map(([country, named]) => {
      const resolved = Object.entries(named).map(([area, list]) => [
        area,
        list.split(', ').map((entry) => find(country, entry, cities)),
      ]);
      return [country, Object.fromEntries(resolved)];
    }),
  );
}

function find(country: string, entry: string, cities: City[]): [string | null, string] {
  const [name, region] = entry.split('@');
  const found = cities.filter(
    (c) => c.country === country && c.name === name && (!region || c.region === `${country}-${region}`),
  );
  const [city] = found;
  if (!city || found.length > 1) throw new Error(`${found.length} cities ${entry} in ${country}`);
  return [city.region, city.name];
}
