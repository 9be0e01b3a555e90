/** Small words for request documents. */
interface Identifier {
  type: string;
  id: string;
}

export const link = (type: string, id: string): Identifier => ({ type, id });

type Links = Record<string, Identifier | Identifier[] | null>;

const related = (links: Links) => Object.fromEntries(Object.entries(links).map(([name, data]) => [name, { data }]));

export const made = (type: string, attributes: object, links: Links = {}) => ({
  data: {
    type,
    ...(Object.keys(attributes).length > 0 ? { attributes } : {}),
    ...(Object.keys(links).length > 0 ? { relationships: related(links) } : {}),
  },
});

export const changed = (type: string, id: string, attributes: object, links: Links = {}) => {
  const { data } = made(type, attributes, links);
  return { data: { id, ...data } };
};
