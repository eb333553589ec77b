/* Violations in requests of the control API. Each code is a function from its data to its message. */

interface Latest {
  /** RFC 3339 date-time. */
  readonly latest: string;
}

interface Now {
  /** RFC 3339 date-time. */
  readonly now: string;
}

export const controlWords = {
  clockUnchanged: () => 'must contain frozen, advanceMs, or now',
  clockBackward: ({ now }: Now) => `must not be before ${now}: the clock only moves forward`,
  clockStepTooLong: ({ latest }: Latest) => `must be at most ${latest}: one change can cover at most ten years`,
  clockTooFar: ({ latest }: Latest) => `must not move the clock past ${latest}`,

  faultWithoutEffect: () => 'must contain status, drop, or delayMs',
  disturbanceNeedsResult: () => 'must be result for this effect',

  yearOutOfRange: () => 'must be in the years 1 to 9999',
  usageTooLong: () => "must be at most ten years after 'at'",
  usageTooSpread: ({ maximum }: { readonly maximum: number }) =>
    `the usage entries up to this one cover more than ${maximum} hours`,

  keyExpired: ({ now }: Now) => `must be later than the current time, ${now}`,

  periodReversed: () => 'must be after start',

  snapshotVersion: ({ message }: { readonly message: string }) =>
    `another version wrote the snapshot (${message}): import it with that version`,
  snapshotUnusable: ({ message }: { readonly message: string }) => `the snapshot cannot be used: ${message}`,
};
