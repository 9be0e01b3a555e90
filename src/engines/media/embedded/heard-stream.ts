/** Packets, loss and jitter of what one party sends (RFC 3550, appendix A). A new SSRC begins a new section. */

/** A jump further than this begins a new section as well: the sender has started again. */
const mostMissing = 3_000;
const mostLate = 100;

export class HeardStream {
  packets = 0;
  bytes = 0;
  /** Since the stream began, 0 for silence. In units of the clock that the last packet had. */
  #jitter = 0;
  #clock = 8_000;
  #ssrc = 0;
  #first = 0;
  /** The highest sequence number with the times it has overflowed. */
  #highest = -1;
  #inSection = 0;
  #lostBefore = 0;
  #lastArrival = Number.NaN;
  #lastTimestamp = 0;

  /** `clock` is 0 for packets whose timestamps say nothing about when they were sent, such as key presses. */
  receive(bytes: number, ssrc: number, sequence: number, timestamp: number, clock: number, nowMs: number): void {
    this.packets += 1;
    this.bytes += bytes;
    if (ssrc !== this.#ssrc || this.#highest < 0) this.#begin(ssrc, sequence);
    else this.#follow(sequence);
    this.#inSection += 1;
    if (clock > 0) this.#measure(timestamp, clock, nowMs);
  }

  get lost(): number {
    return this.#lostBefore + this.#lostInSection();
  }

  get jitterMs(): number {
    return (1000 * this.#jitter) / this.#clock;
  }

  #lostInSection(): number {
    return this.#highest < 0 ? 0 : Math.max(0, this.#highest - this.#first + 1 - this.#inSection);
  }

  #begin(ssrc: number, sequence: number): void {
    this.#lostBefore += this.#lostInSection();
    this.#ssrc = ssrc;
    this.#first = sequence;
    this.#highest = sequence;
    this.#inSection = 0;
    this.#lastArrival = Number.NaN;
  }

  #follow(sequence: number): void {
    const step = ((sequence - this.#highest) << 16) >> 16;
    if (step > mostMissing || step < -mostLate) this.#begin(this.#ssrc, sequence);
    else if (step > 0) this.#highest += step;
  }

  #measure(timestamp: number, clock: number, nowMs: number): void {
    if (clock !== this.#clock) {
      this.#jitter = (this.#jitter * clock) / this.#clock;
      this.#clock = clock;
      this.#lastArrival = Number.NaN;
    }
    const arrival = (nowMs * clock) / 1000;
    if (Number.isNaN(this.#lastArrival)) this.#lastArrival = arrival;
    else {
      const sent = (timestamp - this.#lastTimestamp) | 0;
      const difference = Math.abs(arrival - this.#lastArrival - sent);
      // A jump of the timestamps is no jitter: the sender has begun anew, or switched its source.
      if (difference < 10 * clock) this.#jitter += (difference - this.#jitter) / 16;
      this.#lastArrival = arrival;
    }
    this.#lastTimestamp = timestamp;
  }
}
