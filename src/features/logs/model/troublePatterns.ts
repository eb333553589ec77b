import * as l10n from '@vscode/l10n';
import { foreign } from '../../../text/shownText.ts';

/* Problems that programs write into their logs. Programs choose their own wording, so only patterns can find them. */

export type TroubleKind =
  'notStarted' | 'crashLoop' | 'outOfMemory' | 'missingModule' | 'wrongPort' | 'cuda' | 'diskFull';

export interface FoundTrouble {
  readonly kind: TroubleKind;
  /** One line, safe to show: the problem and its remedy. */
  readonly sentence: string;
}

interface Pattern {
  readonly kind: TroubleKind;
  readonly matches: RegExp;
  /** @param value first group of the match, safe to show */
  readonly sentence: (value: string) => string;
}

/** Maximum length of a name from the log. */
const LONGEST_NAME = 80;

const LESS_GPU_MEMORY = l10n.t('Use a smaller batch or model, or a GPU with more memory.');
const MATCHING_GPU = l10n.t(
  'Allow only hosts with a newer CUDA version (gpu.minCudaVersion), or use an image with an older one.',
);

/** The first pattern that matches decides. */
const PATTERNS: readonly Pattern[] = [
  {
    kind: 'cuda',
    matches: /CUDA out of memory|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|CUDA error: out of memory/,
    sentence: () => l10n.t`The GPU ran out of memory. ${LESS_GPU_MEMORY}`,
  },
  {
    kind: 'cuda',
    matches:
      /CUDA driver version is insufficient|NVIDIA driver on your system is too old|unsatisfied condition: cuda|CUDA_ERROR_UNSUPPORTED_PTX_VERSION/i,
    sentence: () => l10n.t`The host's driver is too old for the CUDA version of the image. ${MATCHING_GPU}`,
  },
  {
    kind: 'cuda',
    matches: /no kernel image is available for execution on the device/,
    sentence: () => l10n.t('The program was built for other GPUs. Update its libraries, or choose another GPU pool.'),
  },
  {
    kind: 'cuda',
    matches: /no CUDA-capable device|CUDA_ERROR_NO_DEVICE|No CUDA GPUs are available|Found no NVIDIA driver/,
    sentence: () => l10n.t('The program found no GPU. Request one in the manifest (gpu), or run the model on the CPU.'),
  },
  {
    kind: 'cuda',
    matches: /\bCUDA error: |\bCUDA_ERROR_[A-Z]|\bcudaError[A-Z]/,
    sentence: () =>
      l10n.t(
        'A GPU operation failed. A worker with a failed GPU must restart; set CUDA_LAUNCH_BLOCKING=1 to find the call.',
      ),
  },
  {
    kind: 'missingModule',
    matches: /\bModuleNotFoundError: No module named ['"]?([\w.-]{1,200})/,
    sentence: (name) =>
      l10n.t`The Python module “${name}” is missing. Install it in the worker's environment or image.`,
  },
  {
    kind: 'missingModule',
    matches: /\bImportError: cannot import name ['"]?([\w.-]{1,200})/,
    sentence: (name) =>
      l10n.t`“${name}” cannot be imported. The installed version of its module is probably the wrong one.`,
  },
  {
    kind: 'missingModule',
    matches: /\bImportError: (\S{1,200}): cannot open shared object file/,
    sentence: (name) => l10n.t`The system library “${name}” is missing. Install it in the image.`,
  },
  {
    kind: 'missingModule',
    matches: /(?:\bError: |\[ERR_MODULE_NOT_FOUND\]: )Cannot find (?:module|package) ['"]([^'"\n]{1,200})['"]/,
    sentence: (name) => l10n.t`The module “${name}” is missing. Install it, or correct the command or the import.`,
  },
  {
    kind: 'missingModule',
    matches: /can't open file ['"]([^'"\n]{1,200})['"]: \[Errno 2\]/,
    sentence: (name) => l10n.t`The program “${name}” is missing. Correct the command, or copy the file into the image.`,
  },
  {
    kind: 'wrongPort',
    matches: /\bEADDRINUSE\b[^\n]{0,200}?:(\d{1,5})\b/,
    sentence: portInUse,
  },
  {
    kind: 'wrongPort',
    matches: /\bEADDRINUSE\b|\baddress already in use\b|\[Errno (?:48|98)\]/i,
    sentence: () => portInUse(''),
  },
  {
    kind: 'diskFull',
    matches: /\bENOSPC\b|\bno space left on device\b|\bdisk quota exceeded\b/i,
    sentence: () => l10n.t('The disk is full. Remove files, or raise the disk size of the endpoint (disk).'),
  },
  {
    kind: 'outOfMemory',
    matches:
      /^[ \t]*MemoryError\b|\bJavaScript heap out of memory\b|\bstd::bad_alloc\b|\bCannot allocate memory\b|\bunable to allocate [\d.]+ .?iB\b/im,
    sentence: () => l10n.t('The program ran out of memory. Use less memory at once, or a worker with more memory.'),
  },
];

/** Matches every line that one of the patterns can match. */
const CANDIDATE =
  /cuda|NVIDIA driver|no kernel image|ModuleNotFoundError|ImportError|Cannot find (?:module|package)|can't open file|EADDRINUSE|address already in use|\[Errno|ENOSPC|no space left|disk quota|MemoryError|heap out of memory|bad_alloc|allocate/i;

/** Returns false for most lines that name no problem. Much faster than `troubleIn`. */
export function mayBeTrouble(line: string): boolean {
  return CANDIDATE.test(line);
}

/** Returns the problem that a line of a program or of a host names. Takes linear time. */
export function troubleIn(line: string): FoundTrouble | undefined {
  for (const { kind, matches, sentence } of PATTERNS) {
    const match = matches.exec(line);
    if (match) return { kind, sentence: sentence(foreign(match[1] ?? '', LONGEST_NAME).text) };
  }
  return undefined;
}

const REFUSED = /\bECONNREFUSED\b|\bconnection refused\b/i;
const PORT = /\bport (\d{1,5})\b|:(\d{1,5})\b/;

/** Returns the problem of a worker that is not ready because its port refuses connections. @param reason why the worker is not ready */
export function nothingListens(reason: string): FoundTrouble | undefined {
  if (!REFUSED.test(reason)) return undefined;
  const [, named, ofAddress] = PORT.exec(reason) ?? [];
  const port = named ?? ofAddress;
  const where = port === undefined ? l10n.t('the port of the health check') : l10n.t`port ${port}`;
  const sentence = l10n.t`Nothing listens on ${where}. The server must listen on the port in the PORT variable, on all addresses (0.0.0.0).`;
  return { kind: 'wrongPort', sentence };
}

function portInUse(port: string): string {
  const which = port === '' ? l10n.t('The port of the program') : l10n.t`Port ${port}`;
  return l10n.t`${which} is already in use. The server must listen on the port in the PORT variable, and only once.`;
}
