/** Where packets come from and go to. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}
