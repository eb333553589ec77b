import type { Attachments } from './attachments.ts';

/** What the control API works with. */
export interface ControlServices {
  readonly attachments: Attachments;
  readonly holder: string;
  /** Asks who started the platform to stop it. */
  readonly stop: () => void;
}
