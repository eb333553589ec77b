import type { Color } from '../pixels/picture.ts';
import type { Token, Unit } from './tokens.ts';

export type Degree = 'slight' | 'strong' | 'full' | 'half';
export type Side = 'left' | 'right' | 'top' | 'bottom' | 'center';

/** Parameters of one clause. */
export interface Parameters {
  readonly degree?: Degree | undefined;
  /** True for `less`, `reduce`, or `lower`, which reverse the instruction. */
  readonly less: boolean;
  readonly random: boolean;
  /** Numbers by their unit. `number` is a number without a unit. */
  readonly percent?: number | undefined;
  readonly pixels?: number | undefined;
  readonly degrees?: number | undefined;
  readonly times?: number | undefined;
  readonly number?: number | undefined;
  readonly size?: { readonly width: number; readonly height: number } | undefined;
  readonly ratio?: { readonly width: number; readonly height: number } | undefined;
  readonly color?: Color | undefined;
  readonly quote?: string | undefined;
  readonly sides: readonly Side[];
  readonly axis?: 'horizontally' | 'vertically' | undefined;
  readonly clockwise?: boolean | undefined;
  /** All words of the clause, for parameters that only one instruction has. */
  readonly words: ReadonlySet<string>;
}

/** Words for an amount. If a clause has several, the last row of this table wins, so "very slightly" means slightly. */
const DEGREES: Readonly<Record<Degree, readonly string[]>> = {
  strong: [
    'strongly',
    'strong',
    'much',
    'lot',
    'very',
    'heavily',
    'heavy',
    'extremely',
    'really',
    'intensely',
    'deeply',
  ],
  half: ['half', 'halve', 'halved', 'halfway'],
  full: ['completely', 'fully', 'totally', 'entirely', 'maximum'],
  slight: [
    'slightly',
    'slight',
    'little',
    'bit',
    'touch',
    'subtly',
    'subtle',
    'gently',
    'gentle',
    'somewhat',
    'softly',
  ],
};

const SIDES: Readonly<Record<Side, readonly string[]>> = {
  left: ['left'],
  right: ['right'],
  top: ['top', 'upper', 'above'],
  bottom: ['bottom', 'lower', 'below'],
  center: ['center', 'centre', 'middle', 'central'],
};

const LESS = [
  'less',
  'reduce',
  'reduced',
  'reducing',
  'decrease',
  'decreased',
  'decreasing',
  'lower',
  'lowered',
  'drop',
];
const HORIZONTAL = ['horizontally', 'horizontal', 'sideways', 'left', 'right'];
const VERTICAL = ['vertically', 'vertical', 'top', 'bottom', 'up', 'down', 'upside'];
const COUNTERCLOCKWISE = ['counterclockwise', 'anticlockwise', 'counter', 'anti', 'ccw', 'left'];
const CLOCKWISE = ['clockwise', 'cw', 'right'];
const RANDOM = ['random', 'randomly', 'arbitrary'];
const QUARTERS: Readonly<Record<string, number>> = { quarter: 90, half: 180, upside: 180 };

const ALL_WORDS = new Set([
  ...[...Object.values(DEGREES), ...Object.values(SIDES)].flat(),
  ...[...LESS, ...HORIZONTAL, ...VERTICAL, ...COUNTERCLOCKWISE, ...CLOCKWISE, ...RANDOM],
]);

/** Returns true if a token can be a parameter. */
export function isParameter(token: Token): boolean {
  return token.kind === 'word' ? ALL_WORDS.has(token.text) : token.kind !== 'separator';
}

export function parametersOf(tokens: readonly Token[]): Parameters {
  const words = new Set(tokens.flatMap((token) => (token.kind === 'word' ? [token.text] : [])));
  const has = (some: readonly string[]): boolean => some.some((word) => words.has(word));
  const first = <Kind extends Token['kind']>(kind: Kind) =>
    tokens.find((token): token is Extract<Token, { kind: Kind }> => token.kind === kind);
  const number = (unit: Unit | undefined) =>
    tokens.find((token) => token.kind === 'number' && token.unit === unit) as { value: number } | undefined;
  const quarter = Object.keys(QUARTERS).find((word) => words.has(word));
  return {
    degree: keysWhere(DEGREES, has).at(-1),
    less: has(LESS),
    random: has(RANDOM),
    percent: number('percent')?.value,
    pixels: number('pixels')?.value,
    degrees: number('degrees')?.value ?? (quarter === undefined ? undefined : QUARTERS[quarter]),
    times: number('times')?.value ?? timesOf(words),
    number: number(undefined)?.value,
    size: first('size'),
    ratio: first('ratio'),
    color: first('color')?.color,
    quote: first('quote')?.text,
    sides: keysWhere(SIDES, has),
    axis: has(VERTICAL) ? 'vertically' : has(HORIZONTAL) ? 'horizontally' : undefined,
    clockwise: has(COUNTERCLOCKWISE) ? false : has(CLOCKWISE) ? true : undefined,
    words,
  };
}

function timesOf(words: ReadonlySet<string>): number | undefined {
  if (words.has('twice') || words.has('double') || words.has('doubled')) return 2;
  if (words.has('triple') || words.has('thrice')) return 3;
  return undefined;
}

function keysWhere<Key extends string>(
  table: Readonly<Record<Key, readonly string[]>>,
  has: (some: readonly string[]) => boolean,
): Key[] {
  return (Object.keys(table) as Key[]).filter((key) => has(table[key]));
}

/** Returns the amount, at least 0: the percentage if there is one, otherwise the value of the degree word, otherwise `normal`. */
export function amountOf(
  { percent, degree }: Parameters,
  { slight, normal, strong, most = 1 }: { slight: number; normal: number; strong: number; most?: number },
): number {
  if (percent !== undefined) return Math.min(Math.abs(percent) / 100, most);
  if (degree === undefined) return normal;
  return { slight, strong, half: 0.5, full: Math.min(1, most) }[degree];
}
