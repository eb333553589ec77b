import type { WorkerError } from '../../../../contract/workerError.ts';
import type { OpenDebugger } from './debugConfiguration.ts';

/**
 * Returns the arguments of the request `setExceptionBreakpoints`, with which a debugger stops at an error. The SDK of a worker catches the
 * errors of handlers, so breakpoints for uncaught exceptions alone would not stop.
 *
 * @param error undefined: at errors that nothing catches
 */
export function exceptionArguments(language: OpenDebugger['language'], error: WorkerError | undefined): object {
  if (language === 'node') {
    const caught = error && { filterId: 'all', condition: `error?.message === ${JSON.stringify(error.message)}` };
    return { filters: [], filterOptions: [{ filterId: 'uncaught' }, ...(caught ? [caught] : [])] };
  }
  if (error === undefined) return { filters: ['uncaught', 'userUnhandled'] };
  // debugpy evaluates the name of a type, or imports its module.
  if (error.type === undefined || !BUILT_IN_TYPE.test(error.type)) return { filters: ['raised', 'uncaught'] };
  const [all, named] = [{ names: ['Python Exceptions'] }, { names: [error.type] }];
  return {
    filters: [],
    exceptionOptions: [
      { path: [all], breakMode: 'unhandled' },
      { path: [all, named], breakMode: 'always' },
    ],
  };
}

/** A type without a module, such as `KeyError`. */
const BUILT_IN_TYPE = /^[A-Z]\w{0,99}$/;
