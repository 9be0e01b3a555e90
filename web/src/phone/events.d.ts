/** What the types of JsSIP need of the package `events`, which brings none. */
declare module 'events' {
  export class EventEmitter {
    once(event: string, listener: (...given: never[]) => void): this;
  }
}
