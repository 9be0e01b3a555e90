/** The parts of `testcontainers` that are used. */
export interface TestcontainersModule {
  GenericContainer: new (image: string) => unknown;
  Wait: { forHttp(path: string, port: number): unknown };
}

export interface StartedTrunkline {
  readonly url: string;
  readonly apiKey: string;
  /** TRUNKLINE_URL and TRUNKLINE_API_KEY, as `@trunkline/test` reads them. */
  readonly variables: { readonly TRUNKLINE_URL: string; readonly TRUNKLINE_API_KEY: string };
  stop(): Promise<unknown>;
}

export class TrunklineContainer {
  constructor(testcontainers: TestcontainersModule, image?: string);
  withEnvironment(variables: Readonly<Record<string, string>>): this;
  start(): Promise<StartedTrunkline>;
}
