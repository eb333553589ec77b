import * as z from 'zod';

/* What worker SDKs write as a job's `error` (facts beside the interface: worker protocol, section 5). */

/** A job's error, taken apart. */
export interface WorkerError {
  /** Name of the exception's class with its module, such as `torch.cuda.OutOfMemoryError`. */
  readonly type?: string;
  readonly message: string;
  /** As the worker's language writes it. */
  readonly traceback?: string;
}

/** An exception of a handler: JSON in a text. */
const SdkException = z.looseObject({
  error_type: z.string().optional().catch(undefined),
  error_message: z.string(),
  error_traceback: z.string().optional().catch(undefined),
});

/** An exception of a generator: `handler: … \ntraceback: …`. */
const HANDLER = 'handler: ';
const TRACEBACK = /(?<=\n[^\S\n]{0,16})traceback: ?/;

/**
 * Takes a job's `error` apart. A text that no worker SDK writes is the message as it is; undefined when there is no reason in it.
 */
export function parseWorkerError(error: unknown): WorkerError | undefined {
  const text = typeof error === 'string' ? error : JSON.stringify(error ?? '');
  if (text === '' || text === '""') return undefined;
  const exception = SdkException.safeParse(typeof error === 'object' ? error : parsed(text));
  if (exception.success) {
    const { error_type: type, error_message: message, error_traceback: traceback } = exception.data;
    return workerError(className(type), message, traceback);
  }
  if (!text.startsWith(HANDLER)) return { message: text };
  const told = text.slice(HANDLER.length);
  const traceback = TRACEBACK.exec(told);
  if (!traceback) return { message: told };
  return workerError(
    undefined,
    told.slice(0, traceback.index).trimEnd(),
    told.slice(traceback.index + traceback[0].length),
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
