import type { JobFormPath, JobFormSimpleControl, JobFormToHost } from './messages.ts';

/** Actions of the page. */
export interface Actions {
  /** Takes the text of a field, and sends its value if it has one. */
  readonly type: (path: JobFormPath, text: string, control: JobFormSimpleControl) => void;
  /** Sends a value. @param focus ID of the element that gets the focus after the change */
  readonly change: (path: JobFormPath, value: unknown, focus?: string) => void;
  readonly leave: (path: JobFormPath) => void;
  readonly chooseFile: (path: JobFormPath) => void;
  readonly run: (kind: Extract<JobFormToHost, { type: 'run' }>['kind'], force?: boolean) => void;
  readonly editAsJson: () => void;
}
