/** How the platform's process ends, for whoever started it. */
export const PLATFORM_EXIT_CODES = {
  /** Stopped because it was asked to. */
  ok: 0,
  /** Failed in a way that is not one of the others; the log says how. */
  failed: 1,
  /** A flag that is unknown or has a wrong value. */
  badFlag: 2,
  /** The port is taken by another program. */
  portTaken: 3,
  /** The data directory is not a directory, or cannot be written. */
  dataDirUnusable: 4,
  /** Another platform that is running has the data directory. */
  dataDirInUse: 5,
  /** The data directory was written by a newer version. */
  dataDirNewer: 6,
  /** This version of Node cannot run the platform. */
  nodeTooOld: 7,
} as const;

export type PlatformExitReason = Exclude<keyof typeof PLATFORM_EXIT_CODES, 'ok'>;
