/** Values of the test run, which the bundle of the tests contains, because a browser has no environment variables. */
export interface TestWorld {
  /** Address of the platform, with the CORS headers of a hosted service. */
  readonly url: string;
  /** Address of the same platform without CORS headers. */
  readonly withoutCors: string;
  readonly apiKey: string;
  /** Directory with the worker of the sample, on the machine of the platform. */
  readonly workerDirectory: string;
}

declare const TEST_WORLD: TestWorld;

export const world = (): TestWorld => TEST_WORLD;
