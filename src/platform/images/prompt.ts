import { MAX_PROMPT_LENGTH } from '../../contract/imageModel.ts';
import { INSTRUCTIONS, PARAMETERS, type Edit, type Instruction } from './instructions.ts';
import { EditError } from './picture.ts';

/** Maximum number of instructions in a prompt. */
const MAX_STEPS = 30;

/** One alternative for each instruction, in the order of the table. */
const PHRASES = new RegExp(INSTRUCTIONS.map(({ phrases }) => `\\b(${phrases})\\w*`).join('|'), 'g');
const NEGATION = String.raw`\b(?:don'?t|not|no|without|never|avoid|remove|nor|except)\b`;
const SEPARATOR = new RegExp(
  String.raw`[,;!?+\n]|\.(?!\d)|(?<!\b(?:b|black) ?)&|(?<!\bblack )\b(?:and|then|but|also|plus|with|while|finally|next)\b|(?=${NEGATION})`,
);
const WITH_PARAMETER = new RegExp(`\\b(?:${PARAMETERS})`);
/** A part that only contains parameters, such as `20 px`. */
const ONLY_PARAMETERS = new RegExp(
  String.raw`^(?:[^a-z]|\b(?:${PARAMETERS}|by|to|at|of|an?|the|it|in|only|just|radius|px|pixels?|x|times|percent|per|cent|deg|degrees?|wide|width|high|height|tall|(?:counter|anti)?-?clockwise|horizontal(?:ly)?|vertical(?:ly)?)\b)*$`,
);

/**
 * Returns the edits of a prompt in their order, without the instructions in the negative prompt.
 *
 * @throws EditError if the prompt is too long, contains too many instructions, or contains none to run
 */
export function understand(prompt: string, negativePrompt = ''): Edit[] {
  const tooLong = [prompt, negativePrompt].find(({ length }) => length > MAX_PROMPT_LENGTH);
  if (tooLong !== undefined) {
    throw new EditError(`a prompt may have at most ${MAX_PROMPT_LENGTH} characters, not ${tooLong.length}`);
  }
  const clauses = clausesOf(prompt);
  const forbidden = [...clausesOf(negativePrompt), ...clauses.filter(({ isNegated }) => isNegated)];
  const excluded = new Set(forbidden.map(({ instruction }) => instruction));
  const wanted = clauses.filter(({ instruction }) => !excluded.has(instruction));
  if (wanted.length > MAX_STEPS) {
    throw new EditError(`a prompt may have at most ${MAX_STEPS} instructions, not ${wanted.length}`);
  }
  if (wanted.length > 0) return wanted.map(({ instruction, text }) => instruction.edit(text));
  const reason =
    clauses.length === 0 ? 'the prompt contains no known instruction' : 'every instruction in the prompt is excluded';
  throw new EditError(`${reason}; the known instructions are: ${INSTRUCTIONS.map(({ name }) => name).join(', ')}`);
}

/** An instruction of a prompt. */
interface Clause {
  readonly instruction: Instruction;
  /** Lowercase text with the instruction and its parameters. */
  text: string;
  /** True if the prompt forbids the instruction. */
  readonly isNegated: boolean;
}

/**
 * Returns the instructions of a prompt in their order. Separators (`,`, `and`, `then` …) and negations split the prompt into parts. A part
 * that only contains parameters belongs to the previous instruction.
 */
function clausesOf(prompt: string): Clause[] {
  const clauses: Clause[] = [];
  const text = prompt
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/[^\S\n]+/g, ' ');
  for (const part of text.split(SEPARATOR)) {
    const last = clauses.at(-1);
    const found = clausesIn(part);
    if (found.length > 0) clauses.push(...found);
    else if (last && ONLY_PARAMETERS.test(part)) last.text += ` ${part}`;
  }
  return clauses;
}

/**
 * Returns the instructions of a part, each with its own text. Parameters precede their instruction in "strongly blur slightly darken", and
 * follow it in "blur strongly darken slightly". The position of the first parameter decides.
 */
function clausesIn(part: string): Clause[] {
  const isNegated = new RegExp(NEGATION).test(part.replace(PHRASES, ' '));
  const found = [...part.matchAll(PHRASES)];
  const parametersLead = WITH_PARAMETER.test(part.slice(0, found[0]?.index));
  const clauses: Clause[] = [];
  let start = 0;
  for (const [at, match] of found.entries()) {
    const next = found[at + 1];
    const end = next && parametersLead ? match.index + match[0].length : (next?.index ?? part.length);
    const text = part.slice(start, end);
    const instruction = INSTRUCTIONS.find((_, index) => match[index + 1]);
    const last = clauses.at(-1);
    if (last && last.instruction === instruction) last.text += ` ${text}`;
    else if (instruction) clauses.push({ instruction, text, isNegated });
    start = end;
  }
  return clauses;
}

/** Words that the safety checker refuses. `*` matches any ending. The checker compares words and ignores their context. */
const REFUSED_WORDS = `nude* nudity naked undress* topless nsfw porn* erotic* hentai fetish* sexual* sex sexy genital* orgy rape* rapist*
  incest* pedophil* paedophil* lolita gore gory behead* decapitat* dismember* mutilat* tortur* massacre* suicid* self-harm* swastika* nazi*
  genocid* terrorist* lynch*`;

const REFUSED = new RegExp(
  `(?<![\\p{L}\\d])(${REFUSED_WORDS.replaceAll('*', '\\p{L}*').split(/\s+/).join('|')})(?![\\p{L}\\d])`,
  'iu',
);

/** @throws EditError if the safety checker is on and refuses the prompt, or the prompt contains no instruction to run */
export function checkPrompt(prompt: string, negativePrompt: string | undefined, isSafetyCheckerOn: boolean): void {
  const word = isSafetyCheckerOn ? REFUSED.exec(prompt)?.[1] : undefined;
  if (word !== undefined) {
    throw new EditError(`the safety checker refuses the prompt: '${word.toLowerCase()}' (see enable_safety_checker)`);
  }
  understand(prompt, negativePrompt);
}
