/* The instructions of a Dockerfile with their lines. Syntax errors are left to the builder. */

export interface Instruction {
  /** In upper case, such as `RUN`. */
  readonly keyword: string;
  /** Text after the keyword, with continued lines joined. */
  readonly text: string;
  /** First line, from 1. */
  readonly line: number;
}

export interface Stage {
  /** Name after AS, in lower case. */
  readonly name: string | undefined;
  /** Image or stage after FROM, as it is written. */
  readonly base: string;
  /** All instructions, FROM first. */
  readonly instructions: readonly Instruction[];
}

export interface Dockerfile {
  /** All instructions, also those before the first FROM. */
  readonly instructions: readonly Instruction[];
  readonly stages: readonly Stage[];
}

const HEREDOC = /<<-?(["']?)([A-Za-z_]\w*)\1/g;
const WITH_HEREDOC = ['RUN', 'COPY', 'ADD'];

/** Parses a Dockerfile. Takes linear time. */
export function parseDockerfile(text: string): Dockerfile {
  const instructions = instructionsOf(text.replace(/^\ufeff/, '').split(/\r?\n/));
  const stages: { name: string | undefined; base: string; instructions: Instruction[] }[] = [];
  for (const instruction of instructions) {
    if (instruction.keyword === 'FROM') stages.push({ ...sourceOf(instruction.text), instructions: [instruction] });
    else stages.at(-1)?.instructions.push(instruction);
  }
  return { instructions, stages };
}

function instructionsOf(lines: readonly string[]): Instruction[] {
  const escape = escapeOf(lines);
  const found: Instruction[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1;
    const words: string[] = [];
    for (let isOpen = true; isOpen && index < lines.length;) {
      const part = (lines[index] ?? '').trim();
      const isSkipped = part === '' || part.startsWith('#');
      isOpen = isSkipped ? words.length > 0 : part.endsWith(escape);
      if (!isSkipped) words.push((isOpen ? part.slice(0, -1) : part).trim());
      if (isOpen) index++;
    }
    const [, keyword = '', text = ''] = /^(\S+)\s*(.*)$/s.exec(words.join(' ')) ?? [];
    if (keyword === '') continue;
    const instruction = { keyword: keyword.toUpperCase(), text: text.trim(), line };
    found.push(instruction);
    if (!WITH_HEREDOC.includes(instruction.keyword)) continue;
    for (const [, , end] of text.matchAll(HEREDOC)) {
      let last = index + 1;
      while (last < lines.length && lines[last]?.replace(/^\t+/, '') !== end) last++;
      index = last;
    }
  }
  return found;
}

/** Returns the character that continues a line. A directive at the beginning can replace the backslash. */
function escapeOf(lines: readonly string[]): string {
  for (const line of lines) {
    const [, name, value] = /^\s*#\s*(\w+)\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (name === undefined) return '\\';
    if (name.toLowerCase() === 'escape' && value === '`') return value;
  }
  return '\\';
}

function sourceOf(text: string): Pick<Stage, 'name' | 'base'> {
  const [base = '', as, name] = text.split(/\s+/).filter((word) => !word.startsWith('--'));
  return { base, name: as?.toUpperCase() === 'AS' ? name?.toLowerCase() : undefined };
}

/** Returns the stage with a name or an index, or the last stage. */
export function stageOf({ stages }: Dockerfile, target?: string): Stage | undefined {
  if (target === undefined) return stages.at(-1);
  const named = stages.findLast(({ name }) => name === target.toLowerCase());
  return named ?? (/^\d+$/.test(target) ? stages[Number(target)] : undefined);
}

/** Returns a stage and the earlier stages that it is based on, the stage first. */
function ancestry({ stages }: Dockerfile, stage: Stage): Stage[] {
  const found = [stage];
  for (;;) {
    const [last] = found.slice(-1);
    const index = last ? stages.indexOf(last) : -1;
    const parent = stages.slice(0, Math.max(index, 0)).findLast(({ name }) => name === last?.base.toLowerCase());
    if (!parent) return found;
    found.push(parent);
  }
}

/** The command of a stage: its own one, that of an image which is not part of the file, or none. */
export type StageCommand =
  { readonly kind: 'own' } | { readonly kind: 'base'; readonly image: string } | { readonly kind: 'none' };

export function commandOf(file: Dockerfile, stage: Stage): StageCommand {
  const stages = ancestry(file, stage);
  const isCommand = ({ keyword }: Instruction): boolean => keyword === 'CMD' || keyword === 'ENTRYPOINT';
  if (stages.some(({ instructions }) => instructions.some(isCommand))) return { kind: 'own' };
  const image = stages.at(-1)?.base ?? '';
  return image === 'scratch' || image === '' ? { kind: 'none' } : { kind: 'base', image };
}
