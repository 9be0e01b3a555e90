/**
 * The path under which the server is reached: `/phones` where its public URL is `https://example.com/phones`, else
 * empty.
 */
export const basePath = document.querySelector('meta[name="trunkline-base"]')?.getAttribute('content') ?? '';

/** An address of this server, for links that the router does not follow. */
export const addressOf = (path: string): string => `${basePath}${path}`;

/**
 * The path of a link in a response from `start` on: the address before it may be another one that leads to this server.
 */
export const pathFrom = (start: string, url: string): string => url.slice(url.indexOf(start));

/** Who is signed in. */
export const sessionPath = '/panel/v1/session';
