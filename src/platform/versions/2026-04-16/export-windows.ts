/** Exports were requested by year, month and perhaps day instead of two moments. */

/** How the window is requested: `from` and `to`, or `year`, `month` and perhaps `day`. */
export type WindowForm = 'moments' | 'calendar';

export const windowFormOf = (version: string): WindowForm => (version < '2026-04-16' ? 'calendar' : 'moments');
