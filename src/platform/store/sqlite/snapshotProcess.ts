import { writeSnapshot, type SnapshotSources } from './snapshot.ts';

/* The process that writes a snapshot. Its arguments are the files of the store, and the new file. */

/** The properties of an error that identify its cause. */
export interface SnapshotFailure {
  readonly message: string;
  readonly code: string | undefined;
  readonly errcode: number | undefined;
}

/** The message of the process to its parent. */
export interface SnapshotAnswer {
  readonly failure?: SnapshotFailure;
}

const [main, logs, file] = process.argv.slice(2) as [main: string, logs: string, file: string];
process.send?.(answerOf({ main, logs }, file));
process.disconnect();

function answerOf(sources: SnapshotSources, file: string): SnapshotAnswer {
  try {
    writeSnapshot(sources, file);
    return {};
  } catch (error) {
    const { message, code, errcode } = error as Error & SnapshotFailure;
    return { failure: { message, code, errcode } };
  }
}
