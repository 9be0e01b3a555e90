/**
 * One relayed call, in the thread that relays it: offers and answers between its parties (RFC 3264). An offer changes
 * nothing until it is answered, so a refused one leaves what stood before.
 */
import { type CallQuality, MediaRefused } from '../media-engine.ts';
import { agreementOf, isOpen, passageOf } from './agreement.ts';
import { checkOffer, checkOtherMedia, checkZrtp } from './encryption.ts';
import { type PartyDescription, readDescription } from './read-description.ts';
import type { RelayedLeg } from './relayed-leg.ts';

export class RelayedCall {
  readonly #legs = new Map<number, RelayedLeg>();
  /** The last one between two parties, by `from>to`: how the first has described itself. */
  readonly #offers = new Map<string, PartyDescription>();
  /** One description after another: each stands on what the one before has left. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  add(id: number, leg: RelayedLeg): void {
    this.#legs.set(id, leg);
  }

  leg(id: number): RelayedLeg {
    const leg = this.#legs.get(id);
    if (leg === undefined) throw new MediaRefused('The call has no such party.');
    return leg;
  }

  get legs(): Iterable<[number, RelayedLeg]> {
    return this.#legs;
  }

  offer(from: number, to: number, sdp: Buffer): Promise<Buffer> {
    return this.#inTurn(async () => {
      const [offerer, other] = [this.leg(from), this.leg(to)];
      const offer = readDescription(sdp, offerer.settings);
      checkOffer(offerer.secure, offer);
      for (const { settings } of [offerer, other]) checkOtherMedia(settings, offer);
      checkZrtp(other.settings, offer.sections.some(isSecure));
      offerer.checkFamily(offer);
      offerer.description ??= offer;
      await this.#open(
        other,
        offer.sections.map(({ isActive }) => isActive),
      );
      const told = other.offer(offer);
      checkZrtp(offerer.settings, readDescription(told, other.settings).sections.some(isSecure));
      this.#offers.set(`${from}>${to}`, offer);
      return told;
    });
  }

  answer(from: number, to: number, sdp: Buffer): Promise<Buffer> {
    return this.#inTurn(async () => {
      const offer = this.#offers.get(`${to}>${from}`);
      if (offer === undefined) throw new MediaRefused('There is an answer without an offer.');
      const [answerer, offerer] = [this.leg(from), this.leg(to)];
      const answer = readDescription(sdp, answerer.settings);
      const offered = offer.sections;
      if (answer.sections.length > offered.length) throw new MediaRefused('The answer has more media than the offer.');
      answerer.checkFamily(answer);
      const agreed = offered.map((section, at) => section.isActive && answer.sections[at]?.isActive === true);
      await this.#open(offerer, agreed);
      answerer.answered(answer, agreed);
      const told = offerer.answer(offer, answer, agreed);
      this.#join({ leg: offerer, description: offer }, { leg: answerer, description: answer }, agreed);
      return told;
    });
  }

  refused(from: number, to: number): void {
    void this.#inTurn(async () => this.#offers.delete(`${from}>${to}`));
  }

  drop(id: number): void {
    this.#legs.get(id)?.drop();
  }

  tick(ms: number): void {
    for (const leg of this.#legs.values()) leg.tick(ms);
  }

  quality(): CallQuality {
    return { legs: [...this.#legs.values()].map((leg) => ({ name: leg.name, heard: leg.figures() })) };
  }

  close(): CallQuality {
    this.#isClosed = true;
    const quality = this.quality();
    for (const leg of this.#legs.values()) leg.drop();
    return quality;
  }

  #inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      if (this.#isClosed) throw new MediaRefused('The call has ended.');
      return run();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** A call that ended meanwhile keeps no ports. */
  async #open(leg: RelayedLeg, wanted: readonly boolean[]): Promise<void> {
    await leg.openStreams(wanted);
    if (!this.#isClosed) return;
    leg.drop();
    throw new MediaRefused('The call has ended.');
  }

  #join(offerer: Side, answerer: Side, agreed: readonly boolean[]): void {
    offerer.leg.description = offerer.description;
    answerer.leg.description = answerer.description;
    let isVoiceExpected = false;
    for (const [at, isAgreed] of agreed.entries()) {
      const [one, other] = [offerer.description.sections[at], answerer.description.sections[at]];
      if (!isAgreed || one === undefined || other === undefined) {
        offerer.leg.closeStream(at);
        answerer.leg.closeStream(at);
        continue;
      }
      const passes = passageOf(
        { settings: offerer.leg.settings, section: one },
        { settings: answerer.leg.settings, section: other },
      );
      const muxes = answerer.leg.offersMux(at) && other.offersMux;
      offerer.leg.join(at, answerer.leg, agreementOf(one, other, one.offersMux, passes));
      answerer.leg.join(at, offerer.leg, agreementOf(other, one, muxes, passes));
      if (one.media.kind === 'audio') isVoiceExpected ||= isOpen(one) && isOpen(other);
    }
    offerer.leg.expectVoice(isVoiceExpected);
    answerer.leg.expectVoice(isVoiceExpected);
  }
}

interface Side {
  leg: RelayedLeg;
  description: PartyDescription;
}

const isSecure = (section: { isSecure: boolean; isActive: boolean }): boolean => section.isSecure && section.isActive;
