/** Messages to another thread, sent together at the end of a turn of the event loop: each delivery wakes it. */
export class Outbox<Message> {
  readonly #deliver: (messages: readonly Message[]) => void;
  #waiting: Message[] = [];

  constructor(deliver: (messages: readonly Message[]) => void) {
    this.#deliver = deliver;
  }

  add(message: Message): void {
    this.#waiting.push(message);
    if (this.#waiting.length === 1) setImmediate(() => this.#send());
  }

  #send(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    this.#deliver(messages);
  }
}

/** Of its own memory. A buffer is often a view into a large one, and a message carries all of what is viewed. */
export const alone = (bytes: Uint8Array): Uint8Array => Uint8Array.prototype.slice.call(bytes);
