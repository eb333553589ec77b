import type { AdjustableClock } from '../time/adjustableClock.ts';
import type { SecretBox } from '../secrets/secretBox.ts';
import type { Services } from '../routes/services.ts';
import type { Contents } from '../store/sqlite/snapshot.ts';
import type { StoredContents } from './contents.ts';
import type { Attachments } from './attachments.ts';
import type { Observer } from './observer.ts';

/** What the control API works with of the platform that is there now. */
export interface ControlledServices extends Services {
  readonly contents: StoredContents;
}

/** What the control API works with. */
export interface ControlServices {
  readonly attachments: Attachments;
  readonly holder: string;
  /** Encrypts stored secrets. */
  readonly secrets: SecretBox;
  /** Whether an imported endpoint of that account with that image may start. */
  readonly mayStart: (accountId: string, image: string) => boolean;
  readonly clock: AdjustableClock;
  readonly observer: Observer;
  /** What is there now: another one after a replacement. */
  readonly instance: () => ControlledServices;
  /** Ends all that lives, and begins again with other contents. @throws SnapshotError, then everything is as before */
  readonly replace: (contents: Exclude<Contents, 'kept'>) => Promise<void>;
  /** Back to an empty platform. */
  readonly reset: () => Promise<undefined>;
  /** Asks who started the platform to stop it. */
  readonly stop: () => void;
}
