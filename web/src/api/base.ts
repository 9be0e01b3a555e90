/** The path under which the server is reached: `/phones` where its public URL is `https://example.com/phones`, else empty. */
export const basePath = document.querySelector('meta[name="trunkline-base"]')?.getAttribute('content') ?? '';

/** An address of this server, for links that the router does not follow. */
export const addressOf = (path: string): string => `${basePath}${path}`;
