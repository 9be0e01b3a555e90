/** Where packets come from and go to. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export const isSameEndpoint = (one: Endpoint, other: Endpoint): boolean =>
  one.port === other.port && one.address === other.address;
