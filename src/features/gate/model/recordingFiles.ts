import path from 'node:path';
import { RECORDING_SUFFIX } from '../../../contract/recordedJob.ts';
import { hashedName } from '../../../text/fileNames.ts';

/* Names of recordings and of the files beside them. */

/** Returns the start of the names of the files of a job. IDs of platforms can contain any characters. */
export function recordingName(jobId: string): string {
  return /^[A-Za-z0-9][\w-]{0,99}$/.test(jobId) ? jobId : hashedName(jobId);
}

/** Returns the name of the recording of a job. */
export function recordingFileName(jobId: string): string {
  return `${recordingName(jobId)}${RECORDING_SUFFIX}`;
}

/** Returns the name that a recording's file has without its ending: that of its job. */
export function nameOfRecording(file: string): string {
  return path.basename(file).slice(0, -RECORDING_SUFFIX.length);
}
