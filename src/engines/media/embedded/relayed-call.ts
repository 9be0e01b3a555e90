/**
 * One relayed call, in the thread that relays it: offers and answers between its parties (RFC 3264). An offer changes
 * nothing until it is answered, so a refused one leaves what stood before.
 */
import { type CallQuality, MediaRefused } from '../media-engine.ts';
import { agreementOf, isOpen, passageOf } from './agreement.ts';
import { checkEncryption, checkTaken, protocolFor } from './encryption.ts';
import { type PartyDescription, readDescription, type Section } from './read-description.ts';
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
      const description = readDescription(sdp);
      const [offerer, other] = [this.leg(from), this.leg(to)];
      for (const section of description.sections) checkEncryption(offerer.settings, section);
      checkTaken(other.settings);
      offerer.checkFamily(description);
      offerer.description ??= description;
      await this.#open(other, description.sections.map(kindOf));
      this.#offers.set(`${from}>${to}`, description);
      return other.describe(
        description,
        description.sections.map((section, at) => ({
          port: section.isActive ? (other.stream(at)?.port ?? 0) : 0,
          protocol: protocolFor(section.media),
          muxes: section.offersMux,
          lines: [],
        })),
      );
    });
  }

  answer(from: number, to: number, sdp: Buffer): Promise<Buffer> {
    return this.#inTurn(async () => {
      const offer = this.#offers.get(`${to}>${from}`);
      if (offer === undefined) throw new MediaRefused('There is an answer without an offer.');
      const answer = readDescription(sdp);
      const offered = offer.sections;
      if (answer.sections.length > offered.length) throw new MediaRefused('The answer has more media than the offer.');
      const [answerer, offerer] = [this.leg(from), this.leg(to)];
      for (const section of answer.sections) checkEncryption(answerer.settings, section);
      answerer.checkFamily(answer);
      const agreed = offered.map((section, at) => section.isActive && answer.sections[at]?.isActive === true);
      await this.#open(
        offerer,
        offered.map((section, at) => (agreed[at] ? section.media.kind : null)),
      );
      const own = offered.map((section, at) => ({
        port: agreed[at] ? (offerer.stream(at)?.port ?? 0) : 0,
        protocol: section.media.protocol,
        muxes: section.offersMux,
        lines: [],
      }));
      const told = offerer.describe(answer, own);
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
  async #open(leg: RelayedLeg, kinds: readonly (string | null)[]): Promise<void> {
    await leg.openStreams(kinds);
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
      offerer.leg.join(at, answerer.leg, agreementOf(one, other, one.offersMux, passes));
      answerer.leg.join(at, offerer.leg, agreementOf(other, one, one.offersMux && other.offersMux, passes));
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

const kindOf = ({ isActive, media }: Section): string | null => (isActive ? media.kind : null);
