import type { CommandWords, OptionWords, Value } from './commandWords.ts';

/* Completion scripts. They contain all words, so that a key press starts no program. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns the script that completes the program in a shell. */
export function completionScript(shell: Shell, program: string, commands: readonly CommandWords[]): string {
  return `${{ bash, zsh, fish }[shell](program, commands).join('\n')}\n`;
}

function functionName(program: string): string {
  return `_${program.replaceAll('-', '_')}`;
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function bash(program: string, commands: readonly CommandWords[]): readonly string[] {
  const words = (choices: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur"))`;
  const complete = (value: Value): string => {
    if (value.kind === 'choices') return words(value.choices);
    if (value.kind === 'none') return ':';
    return `compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen ${value.kind === 'folder' ? '-d' : '-f'} -- "$cur"))`;
  };
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ flag, value }) => (value ? [`    '${name} ${flag}') ${complete(value)}; return ;;`] : [])),
  );
  return [
    `${functionName(program)}() {`,
    `  local IFS=$' \\t\\n' cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}`,
    '  COMPREPLY=()',
    `  if ((COMP_CWORD == 1)); then ${words(commands.map(({ name }) => name))}; return; fi`,
    '  case "$command $prev" in',
    ...values,
    '  esac',
    '  if [[ $cur == -* ]]; then',
    '    case $command in',
    ...commands.map(({ name, options }) => `      ${name}) ${words(options.map(({ flag }) => flag))} ;;`),
    '    esac',
    '    return',
    '  fi',
    // Names of files can contain spaces.
    `  IFS=$'\\n'`,
    '  case $command in',
    ...commands.flatMap(({ name, argument }) => (argument ? [`    ${name}) ${complete(argument)} ;;`] : [])),
    '  esac',
    '}',
    `complete -F ${functionName(program)} ${program}`,
  ];
}

function zsh(program: string, commands: readonly CommandWords[]): readonly string[] {
  const escaped = (text: string): string => text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);
  const action = (value: Value): string => {
    if (value.kind === 'choices') return `(${value.choices.join(' ')})`;
    return { folder: '_directories', file: '_files', none: ' ' }[value.kind];
  };
  const option = ({ flag, description, value }: OptionWords): string =>
    quoted(`${flag}[${escaped(description)}]${value ? `:value:${action(value)}` : ''}`);
  return [
    `#compdef ${program}`,
    `${functionName(program)}() {`,
    '  local -a commands=(',
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${escaped(summary)}`)}`),
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  local command=$words[2]',
    '  shift words',
    '  (( CURRENT-- ))',
    '  case $command in',
    ...commands.map(({ name, options, argument }) => {
      const specs = [...options.map(option), ...(argument ? [quoted(`1:argument:${action(argument)}`)] : [])];
      return `    ${name}) _arguments ${specs.join(' ')} ;;`;
    }),
    '  esac',
    '}',
    `compdef ${functionName(program)} ${program}`,
  ];
}

function fish(program: string, commands: readonly CommandWords[]): readonly string[] {
  const escaped = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
  const completes = (value: Value): string => {
    if (value.kind === 'choices') return `-x -a ${escaped(value.choices.join(' '))}`;
    return { folder: `-x -a '(__fish_complete_directories)'`, file: '-r -F', none: '-x' }[value.kind];
  };
  return [
    `complete -c ${program} -f`,
    ...commands.map(
      ({ name, summary }) => `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${escaped(summary)}`,
    ),
    ...commands.flatMap(({ name, options, argument }) => {
      const inCommand = `complete -c ${program} -n '__fish_seen_subcommand_from ${name}'`;
      return [
        ...options.map(({ flag, description, value }) =>
          [inCommand, `-l ${flag.slice(2)}`, ...(value ? [completes(value)] : []), `-d ${escaped(description)}`].join(
            ' ',
          ),
        ),
        ...(argument && argument.kind !== 'none' ? [`${inCommand} ${completes(argument).replace('-x ', '')}`] : []),
      ];
    }),
  ];
}
