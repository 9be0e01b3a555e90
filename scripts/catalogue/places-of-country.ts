/** Region code without the country part → "prefix[=name], prefix[=name] …". */
export type PlacesOfCountry = Record<string, string>;
