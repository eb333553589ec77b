import type { Dockerfile, Instruction, Stage } from './dockerfile.ts';

/*
 * Reads what builders print. BuildKit reports its steps and their errors as JSON. `docker build` and `podman build` have no such output: the
 * numbers of their steps are at the beginnings of lines, and their errors are only text, which is shown as it is.
 */

/** The step of a build that failed. */
export type StepPlace =
  /** The instruction with this number in the file, from 1. */
  | { readonly kind: 'file'; readonly number: number }
  /** The instruction with this number in a stage, from 1. @property stage number from 1 */
  | { readonly kind: 'stage'; readonly stage: number; readonly number: number }
  /** The instruction that makes this layer of a stage. @property stage name, or `stage-0` for the first one; omitted if it is the only one */
  | { readonly kind: 'layer'; readonly stage?: string | undefined; readonly number: number }
  /** The image of a FROM instruction. */
  | { readonly kind: 'base'; readonly image: string }
  | { readonly kind: 'line'; readonly line: number };

export interface ProgressReader {
  /** Reads a line of the builder. Returns the lines to show. */
  read(line: string): readonly string[];
  /** The step that failed, or the last one that began. */
  readonly place: StepPlace | undefined;
  /** The builder's last error, or its last line. */
  readonly reason: string | undefined;
}

/** Both parsers of Dockerfiles, that of BuildKit and the older one, begin their message with these words. */
const PARSE_ERROR = /\bdockerfile parse error (?:on )?line (\d+)/;

/** Returns the place that a message of a parser names. */
function parsedPlace(line: string): StepPlace | undefined {
  const [, number] = PARSE_ERROR.exec(line) ?? [];
  return number === undefined ? undefined : { kind: 'line', line: Number(number) };
}

const LEGACY_STEP = /^Step (\d+)\/\d+ : /;
const PODMAN_STEP = /^(?:\[(\d+)\/\d+\] )?STEP (\d+)(?:\/\d+)?: /;
const PLAIN_VERTEX = /^#\d+ (\[.+)$/;
const ERROR_PREFIX = /^(?:#\d+ )?(?:ERROR|Error): /;

/** Reads the lines of `docker build`, `podman build`, and BuildKit without JSON. */
export class LineProgress implements ProgressReader {
  place: StepPlace | undefined;
  reason: string | undefined;
  /** Places of BuildKit's steps by their marks, such as `#5`. They run side by side. */
  readonly #vertexes = new Map<string, StepPlace>();
  #hasFailed = false;

  read(line: string): readonly string[] {
    this.#placeOf(line);
    if (ERROR_PREFIX.test(line)) {
      const [mark = ''] = line.split(' ');
      this.place = this.#vertexes.get(mark) ?? this.place;
      this.#hasFailed = true;
      this.reason = line.replace(ERROR_PREFIX, '');
    } else if (!this.#hasFailed && line.trim() !== '') this.reason = line;
    this.place = parsedPlace(line) ?? this.place;
    return [line];
  }

  #placeOf(line: string): void {
    const [, legacy] = LEGACY_STEP.exec(line) ?? [];
    if (legacy !== undefined) this.place = { kind: 'file', number: Number(legacy) };
    const [, stage = '1', podman] = PODMAN_STEP.exec(line) ?? [];
    if (podman !== undefined) this.place = { kind: 'stage', stage: Number(stage), number: Number(podman) };
    // All steps are complete.
    if (line.startsWith('COMMIT ')) this.place = undefined;
    const [, name] = PLAIN_VERTEX.exec(line) ?? [];
    const place = name === undefined ? undefined : vertexPlace(name);
    if (place) this.#vertexes.set(line.split(' ')[0] ?? '', place);
  }
}

/** The parts of BuildKit's `SolveStatus` that are read. */
interface SolveStatus {
  readonly vertexes?: readonly {
    readonly digest: string;
    readonly name: string;
    readonly started?: string;
    readonly completed?: string;
    readonly cached?: boolean;
    readonly error?: string;
  }[];
  /** @property data in base64 */
  readonly logs?: readonly { readonly data?: string }[];
}

/** Reads the JSON of `docker buildx build --progress=rawjson`, and the lines around it. */
export class JsonProgress implements ProgressReader {
  place: StepPlace | undefined;
  reason: string | undefined;
  /** Lines of an object that is not complete. */
  #open: string[] = [];
  readonly #begun = new Set<string>();
  #hasFailed = false;

  read(line: string): readonly string[] {
    // An object has one line, or several of which only the first and the last begin with a brace.
    if (this.#open.length === 0 && !line.startsWith('{')) return this.#plain(line);
    this.#open.push(line);
    if (!/^\{.*\}$|^\}$/.test(line)) return [];
    const text = this.#open.join('\n');
    this.#open = [];
    try {
      return this.#status(JSON.parse(text) as SolveStatus);
    } catch {
      return this.#plain(text);
    }
  }

  #plain(line: string): readonly string[] {
    this.place = parsedPlace(line) ?? this.place;
    if (!this.#hasFailed && line.trim() !== '') this.reason = line.replace(ERROR_PREFIX, '');
    return [line];
  }

  #status({ vertexes = [], logs = [] }: SolveStatus): readonly string[] {
    const shown: string[] = [];
    for (const { digest, name, started, completed, cached = false, error } of vertexes) {
      if (started !== undefined && !this.#begun.has(digest)) {
        this.#begun.add(digest);
        shown.push(`${name}${cached && completed !== undefined ? ' (cached)' : ''}`);
      }
      // BuildKit ends the other steps after a failure, and reports them as failed too.
      if (error === undefined || error === '' || this.#hasFailed || error.endsWith('context canceled')) continue;
      this.#hasFailed = true;
      this.reason = error;
      this.place = vertexPlace(name) ?? this.place;
      shown.push(error);
    }
    for (const { data = '' } of logs) {
      const text = Buffer.from(data, 'base64')
        .toString('utf8')
        .replace(/\r?\n$/, '');
      shown.push(...text.split(/\r?\n/).map((part) => `  ${part}`));
    }
    return shown;
  }
}

const VERTEX = /^\[(?:(?:linux\/\S+|\S+->\S+) )?(?:(\S+) )?(\d+)\/\d+\] /;
const METADATA = /^\[(?:\S+ )?internal\] load metadata for (\S+)/;

/** Returns the place of a step of BuildKit by its name, such as `[build 2/3] RUN make`. */
function vertexPlace(name: string): StepPlace | undefined {
  const [, stage, number] = VERTEX.exec(name) ?? [];
  if (number !== undefined) return { kind: 'layer', stage, number: Number(number) };
  const [, image] = METADATA.exec(name) ?? [];
  return image === undefined ? undefined : { kind: 'base', image };
}

/** Returns the line of a step in the Dockerfile, from 1. @param sameImage tells whether two references mean the same image */
export function lineOf(
  { instructions, stages }: Dockerfile,
  place: StepPlace,
  sameImage: (one: string, other: string) => boolean,
): number | undefined {
  switch (place.kind) {
    case 'line':
      return place.line;
    case 'file':
      return instructions[place.number - 1]?.line;
    case 'stage':
      return stages[place.stage - 1]?.instructions[place.number - 1]?.line;
    case 'base':
      return stages.find(({ base }) => sameImage(base, place.image))?.instructions[0]?.line;
    case 'layer': {
      const index = stages.findIndex(({ name }, at) => place.stage === (name ?? `stage-${at}`));
      const stage = place.stage === undefined ? stages[0] : stages[index];
      return stage && layersOf(stage, stages)[place.number - 1]?.line;
    }
  }
}

const LAYERS = ['RUN', 'COPY', 'ADD', 'WORKDIR'];

/** Returns the instructions that BuildKit counts: the image of the stage unless it is another stage, and the layers. */
function layersOf(stage: Stage, stages: readonly Stage[]): readonly Instruction[] {
  const earlier = stages.slice(0, stages.indexOf(stage));
  const isOwn = stage.base === 'scratch' || earlier.some(({ name }) => name === stage.base.toLowerCase());
  return stage.instructions.filter(({ keyword }) => (keyword === 'FROM' ? !isOwn : LAYERS.includes(keyword)));
}
