/** How a voice sounded, estimated from what was lost and how late it came: the E-model (ITU-T G.107). */

interface Heard {
  /** Lower-case name, such as `pcmu`; null if not known. */
  codec: string | null;
  /** 0 to 1. */
  lost: number;
  jitterMs: number;
  roundTripMs: number | null;
}

/** Of a connection without any impairment, with the model's usual values. */
const bestRating = 93.2;

/** Impairment of the codec itself, and how well it conceals loss (ITU-T G.113, appendix I). */
const impairments: Readonly<Record<string, { codec: number; concealment: number }>> = {
  g729: { codec: 11, concealment: 19 },
  g723: { codec: 15, concealment: 16.1 },
  gsm: { codec: 26, concealment: 43 },
  'g726-32': { codec: 7, concealment: 25.1 },
};
/** G.711 with concealment; also for codecs that the recommendation does not rate. */
const usual = { codec: 0, concealment: 25.1 };

/** From this one-way delay on, people begin to talk into each other. */
const noticedDelayMs = 177.3;

/** 1 to 4.5. */
export function estimateMos({ codec, lost, jitterMs, roundTripMs }: Heard): number {
  const impairment = impairments[codec ?? ''] ?? usual;
  // A receiver waits about twice the jitter, so that late packets still count.
  const delayMs = (roundTripMs ?? 0) / 2 + 2 * jitterMs;
  const delayImpairment = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - noticedDelayMs);
  const percent = 100 * lost;
  const lossImpairment = impairment.codec + (95 - impairment.codec) * (percent / (percent + impairment.concealment));
  return mosOf(bestRating - delayImpairment - lossImpairment);
}

function mosOf(rating: number): number {
  if (rating <= 0) return 1;
  if (rating >= 100) return 4.5;
  return Math.max(1, 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6);
}
