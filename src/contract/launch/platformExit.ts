/** Exit codes of the platform process. */
export const PLATFORM_EXIT_CODES = {
  /** The platform stopped on request. */
  ok: 0,
  /** The platform failed for a reason that has no exit code. The log contains the reason. */
  failed: 1,
  /** A flag is unknown or has an invalid value. */
  badFlag: 2,
  /** Another program listens on the port. */
  portTaken: 3,
  /** The data directory is not a directory, or is not writable. */
  dataDirUnusable: 4,
  /** A running platform uses the data directory. */
  dataDirInUse: 5,
  /** Another version wrote the data directory. */
  dataDirVersion: 6,
  /** This version of Node.js cannot run the platform. */
  nodeTooOld: 7,
  /** The disk failed to store data that was written. The next start recovers the data that is on the disk. */
  diskFailed: 8,
} as const;

export type PlatformExitReason = Exclude<keyof typeof PLATFORM_EXIT_CODES, 'ok'>;
