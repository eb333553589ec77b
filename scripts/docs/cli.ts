import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { exitsOf } from '../../src/cli/program/options.ts';
import { createProgram, fullName, withSubcommands } from '../../src/cli/program/program.ts';
import { table } from './section.ts';

/** Number of commands from which an option is described once, for all of them. */
const SHARED = 3;

/** Returns a table of shared options, and a section for each command of the command line program, with its own options and exit codes. */
export function cliCommands(): string {
  const program = createProgram('', () => Promise.resolve());
  const commands = withSubcommands(program).filter((command) => command !== program && command.commands.length === 0);
  const shared = sharedOf(commands.flatMap(optionsOf));
  return [optionTable([...shared.values()]), ...commands.map((command) => section(command, shared))].join('\n\n');
}

/** Returns the options that several commands have with the same meaning, by their flags. */
function sharedOf(options: readonly Option[]): ReadonlyMap<string, Option> {
  const shared = options.filter((option) => options.filter((other) => equals(option, other)).length >= SHARED);
  return new Map(shared.map((option) => [option.flags, option]));
}

function equals(one: Option, other: Option): boolean {
  return one.flags === other.flags && effect(one) === effect(other);
}

function optionsOf(command: CommandUnknownOpts): Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help');
}

function optionTable(options: readonly Option[]): string {
  return table(
    ['Option', 'Effect'],
    options.map((option) => [`\`${option.flags}\``, effect(option)]),
  );
}

/** Escapes the characters that Markdown interprets in the middle of a sentence. */
function escaped(text: string): string {
  return text.replaceAll(/[*_<>]/g, String.raw`\$&`);
}

function section(command: CommandUnknownOpts, shared: ReadonlyMap<string, Option>): string {
  const options = optionsOf(command);
  const isShared = (option: Option): boolean => {
    const one = shared.get(option.flags);
    return one !== undefined && equals(one, option);
  };
  const own = options.filter((option) => !isShared(option));
  const others = options.filter(isShared).map(({ long }) => `\`${long}\``);
  const usage = `cloud-compute ${fullName(command)} ${command.usage()}`;
  return [
    `### \`${fullName(command)}\``,
    escaped(command.description()) || `${command.summary()[0]?.toUpperCase()}${command.summary().slice(1)}.`,
    `\`\`\`text\n${usage}\n\`\`\``,
    ...(own.length > 0 ? [optionTable(own)] : []),
    ...(others.length > 0 ? [`Shared options: ${others.join(', ')}`] : []),
    table(
      ['Exit code', 'Meaning'],
      exitsOf(command).map(([code, meaning]) => [code, meaning]),
    ),
  ].join('\n\n');
}

/** Returns the description of an option with its choices and its default, as `--help` shows them. */
function effect({ description, argChoices, defaultValue, defaultValueDescription, negate }: Option): string {
  const text = `${description[0]?.toUpperCase()}${description.slice(1)}`;
  const choices = argChoices?.map((choice) => `\`${choice}\``).join(', ');
  const standard = defaultValueDescription ?? (negate || defaultValue === undefined ? undefined : String(defaultValue));
  const facts = [
    ...(choices === undefined ? [] : [choices]),
    ...(standard === undefined ? [] : [`default: \`${standard}\``]),
  ];
  return facts.length > 0 ? `${text} (${facts.join('; ')})` : text;
}
