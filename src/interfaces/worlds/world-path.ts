/** The path that a world is served under: `/w/<id>` before everything that its sandbox has. */
const form = /^\/w\/([0-9a-f]{16})(?=[/?]|$)/;

export const worldPath = (id: string): string => `/w/${id}`;

/** The id of the world that a URL leads into, or null. */
export const worldIn = (url: string): string | null => form.exec(url)?.[1] ?? null;

/** The URL as it is inside the world. */
export const insideWorld = (url: string): string => {
  const inside = url.replace(form, '');
  return inside.startsWith('/') ? inside : `/${inside}`;
};
