import * as z from 'zod';
import { parseJson } from './parsedJson.ts';

/* Formats that worker SDKs use for the `error` of a job. */

/** Parts of a job's error. */
export interface WorkerError {
  /** Name of the exception's class with its module, such as `torch.cuda.OutOfMemoryError`. */
  readonly type?: string;
  readonly message: string;
  /** Traceback in the format of the worker's language. */
  readonly traceback?: string;
}

/** Exception of a handler, as a JSON string. */
const SdkException = z.looseObject({
  error_type: z.string().optional().catch(undefined),
  error_message: z.string(),
  error_traceback: z.string().optional().catch(undefined),
});

/** Exception of a generator: `handler: … \ntraceback: …`. */
const HANDLER = 'handler: ';
const TRACEBACK = /(?<=\n[^\S\n]{0,16})traceback: ?/;

/**
 * Parses a job's `error`. Text in any other format becomes the message unchanged. Returns undefined for an empty error.
 */
export function parseWorkerError(error: unknown): WorkerError | undefined {
  const text = typeof error === 'string' ? error : JSON.stringify(error ?? '');
  if (text === '' || text === '""') return undefined;
  const exception = SdkException.safeParse(typeof error === 'object' ? error : parseJson(text));
  if (exception.success) {
    const { error_type: type, error_message: message, error_traceback: traceback } = exception.data;
    return workerError(className(type), message, traceback);
  }
  if (!text.startsWith(HANDLER)) return { message: text };
  const report = text.slice(HANDLER.length);
  const traceback = TRACEBACK.exec(report);
  if (!traceback) return { message: report };
  return workerError(
    undefined,
    report.slice(0, traceback.index).trimEnd(),
    report.slice(traceback.index + traceback[0].length),
  );
}

function workerError(type: string | undefined, message: string, traceback: string | undefined): WorkerError {
  return { ...(type === undefined ? {} : { type }), message, ...(traceback ? { traceback } : {}) };
}

/** Python writes a class as `<class 'module.Name'>`. */
function className(type: string | undefined): string | undefined {
  const name = type
    ?.replace(/'>$/, '')
    .split(/[^\w.]/)
    .at(-1);
  return name === '' ? undefined : name;
}
