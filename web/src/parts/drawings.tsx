/** Line drawings for places where there is nothing yet. */
import type { ReactNode } from 'react';

const Drawing = ({ children }: { children: ReactNode }) => (
  <svg viewBox="0 0 120 72" width={120} height={72} aria-hidden="true" className="drawing">
    {children}
  </svg>
);

/** Lines that meet in a trunk: numbers, calls. */
export const LinesDrawing = () => (
  <Drawing>
    <path d="M8 18h26c14 0 18 18 30 18h20M8 36h76M8 54h26c14 0 18-18 30-18" />
    <circle cx="8" cy="18" r="4" />
    <circle cx="8" cy="36" r="4" />
    <circle cx="8" cy="54" r="4" />
    <path className="live" d="M84 36h16" />
    <circle className="live" cx="106" cy="36" r="6" />
  </Drawing>
);

/** Sheets with a mark: orders, paperwork, records. */
export const SheetsDrawing = () => (
  <Drawing>
    <path d="M34 14h40a4 4 0 0 1 4 4v42a4 4 0 0 1-4 4H34a4 4 0 0 1-4-4V18a4 4 0 0 1 4-4z" />
    <path d="M44 8h40a4 4 0 0 1 4 4v42" />
    <path d="M40 28h28M40 38h28M40 48h14" />
    <path className="live" d="m62 50 5 5 10-11" />
  </Drawing>
);
