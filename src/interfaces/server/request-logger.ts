/** The logger of one request, with its id. It is made when something is logged, which most requests never do. */
import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export class RequestLogger implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildOptions;
  #made: FastifyBaseLogger | null = null;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  get level(): string {
    return this.#logger().level;
  }

  set level(level: string) {
    this.#logger().level = level;
  }

  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return this.#logger().child(bindings, options);
  }

  fatal(...given: unknown[]): void {
    this.#log('fatal', given);
  }

  error(...given: unknown[]): void {
    this.#log('error', given);
  }

  warn(...given: unknown[]): void {
    this.#log('warn', given);
  }

  info(...given: unknown[]): void {
    this.#log('info', given);
  }

  debug(...given: unknown[]): void {
    this.#log('debug', given);
  }

  trace(...given: unknown[]): void {
    this.#log('trace', given);
  }

  silent(...given: unknown[]): void {
    this.#log('silent', given);
  }

  #log(level: Level, given: unknown[]): void {
    const logger = this.#logger();
    Reflect.apply(logger[level], logger, given);
  }

  #logger(): FastifyBaseLogger {
    this.#made ??= this.#parent.child(this.#bindings, this.#options);
    return this.#made;
  }
}
