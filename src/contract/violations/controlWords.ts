/* Violations in requests of the control API. Each code has its data, the parameter, and its message, the result. */

interface Latest {
  /** RFC 3339 date-time. */
  readonly latest: string;
}

interface Now {
  /** RFC 3339 date-time. */
  readonly now: string;
}

export const controlWords = {
  clockUnchanged: () => 'changes nothing: give frozen, advanceMs or now',
  clockBackward: ({ now }: Now) => `must not be before ${now}: the clock only goes forward`,
  clockStepTooLong: ({ latest }: Latest) => `must be at most ${latest}: one change can cover ten years`,
  clockTooFar: ({ latest }: Latest) => `must not move the clock past ${latest}`,

  faultWithoutEffect: () => 'does nothing: give status, drop or delayMs',

  yearOutOfRange: () => 'must be in the years 1 to 9999',
  usageTooLong: () => 'must be at most ten years after at',
  usageTooSpread: ({ maximum }: { readonly maximum: number }) =>
    `the usage up to here is spread over more than ${maximum} hours`,

  keyExpired: ({ now }: Now) => `must be later than ${now}, which it is now`,

  snapshotNewer: ({ told }: { readonly told: string }) =>
    `the snapshot was written by a newer version (${told}): update this platform`,
  snapshotUnusable: ({ told }: { readonly told: string }) => `the snapshot cannot be used: ${told}`,
};
