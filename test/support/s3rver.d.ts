/** The part of `@20minutes/s3rver` that tests use; the package has no types. */
declare module '@20minutes/s3rver' {
  import type { AddressInfo } from 'node:net';

  interface S3rverOptions {
    directory: string;
    address: string;
    port: number;
    silent: boolean;
    configureBuckets: { name: string }[];
  }
  class S3rver {
    constructor(options: S3rverOptions);
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
  export = S3rver;
}
