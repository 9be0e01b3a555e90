/**
 * Two parties that are described to each other: one call of rtpengine's own. So each phone that rings, and each party
 * of a transfer, is forgotten by itself.
 */
import { MediaRefused } from '../media-engine.ts';
import { type Answer, textOf } from './answers.ts';
import { askedFor, askedOfOffer } from './asked.ts';
import type { Bencoded } from './bencode.ts';
import { type Control, refusalOf, Unanswered } from './control.ts';
import type { Described } from './description.ts';
import { Figures } from './figures.ts';
import type { RtpengineLeg } from './leg.ts';
import { askedToTranscode } from './transcoding.ts';

export interface Offered {
  readonly from: RtpengineLeg;
  readonly to: RtpengineLeg;
  readonly sdp: Described;
  /** Codecs that the receiver gets instead of those of the sender; null if they share one. */
  readonly added: readonly string[] | null;
}

/** Pairs of a call are numbered, so that another process can name those of one that was killed. */
export const pairId = (callId: string, number: number): string => `${callId}_${number}`;

export class Pair {
  readonly id: string;
  readonly control: Control;
  readonly legs: readonly [RtpengineLeg, RtpengineLeg];
  readonly figures: ReadonlyMap<RtpengineLeg, Figures>;
  /** What both have agreed on last; null until the first answer. */
  #agreed: { offer: Offered; answer: string } | null = null;
  #offered: Offered | null = null;

  constructor(id: string, control: Control, legs: readonly [RtpengineLeg, RtpengineLeg]) {
    this.id = id;
    this.control = control;
    this.legs = legs;
    this.figures = new Map(legs.map((leg) => [leg, new Figures()]));
  }

  joins(one: RtpengineLeg, other: RtpengineLeg): boolean {
    return this.legs.includes(one) && this.legs.includes(other);
  }

  get isAgreed(): boolean {
    return this.#agreed !== null;
  }

  get isTranscoded(): boolean {
    return (this.#offered ?? this.#agreed?.offer)?.added != null;
  }

  async offer(offered: Offered): Promise<string> {
    const { from, to, sdp, added } = offered;
    const described = await this.#describe('offer', from, to, {
      ...askedFor(from, to),
      ...askedOfOffer(from, to),
      ...(added && askedToTranscode(sdp, added)),
      sdp: sdp.text,
    });
    this.#offered = offered;
    return described;
  }

  /** The tags of an answer are those of its offer. */
  async answer(from: RtpengineLeg, to: RtpengineLeg, sdp: string): Promise<string> {
    const described = await this.#describe('answer', to, from, { ...askedFor(from, to), sdp });
    const offer = this.#offered ?? this.#agreed?.offer;
    if (offer !== undefined) this.#agreed = { offer, answer: sdp };
    await Promise.all(this.legs.map((leg) => this.#blockKeyPresses(leg)));
    return described;
  }

  /** The last offer was refused. rtpengine has followed it already, so it hears once more what was agreed on. */
  async restore(): Promise<void> {
    this.#offered = null;
    if (this.#agreed === null) return this.delete();
    const { offer, answer } = this.#agreed;
    await this.offer(offer);
    await this.answer(offer.to, offer.from, answer);
  }

  /** Returns false if rtpengine does not know the two any more. */
  async query(second: number): Promise<boolean> {
    const answer = await this.control.request({ command: 'query', 'call-id': this.id });
    if (refusalOf(answer) !== null) return false;
    for (const [leg, figures] of this.figures) figures.read(answer, leg, second);
    return true;
  }

  async delete(): Promise<void> {
    await this.control.request({ command: 'delete', 'call-id': this.id, 'delete delay': 0 });
  }

  async play(sender: RtpengineLeg, key: string, durationMs: number): Promise<void> {
    const named = { 'call-id': this.id, 'from-tag': sender.tag };
    await this.control.request({ command: 'play DTMF', ...named, code: key, duration: durationMs });
  }

  /** Those to be told are lost: it tells of none. */
  async #blockKeyPresses({ tag, settings }: RtpengineLeg): Promise<void> {
    if (settings.keyPresses !== 'dropped') return;
    await this.control.request({ command: 'block DTMF', 'call-id': this.id, 'from-tag': tag });
  }

  async #describe(
    command: 'offer' | 'answer',
    offerer: RtpengineLeg,
    answerer: RtpengineLeg,
    asked: { readonly [key: string]: Bencoded },
  ): Promise<string> {
    const tags = { 'from-tag': offerer.tag, 'to-tag': answerer.tag };
    const answer = await this.control.request({ command, 'call-id': this.id, ...tags, ...asked });
    return described(answer);
  }
}

/** What the description itself is to blame for. */
const refusals = /parse SDP|No SDP|rewrite SDP|create SDP|Invalid RTP payload|Invalid RTCP attribute/;

function described(answer: Answer): string {
  const refusal = refusalOf(answer);
  const sdp = textOf(answer.sdp);
  if (refusal === null && sdp !== '') return sdp;
  if (refusal === null || refusals.test(refusal)) throw new MediaRefused('The session description cannot be read');
  throw new Unanswered(`refuses: ${refusal}`);
}
