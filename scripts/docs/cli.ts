import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { exitsOf } from '../../src/cli/program/options.ts';
import { createProgram } from '../../src/cli/program/program.ts';
import { table } from './section.ts';

/** Returns a section for each command of the command line program, with its options and exit codes. */
export function cliCommands(): string {
  const program = createProgram('', () => Promise.resolve());
  return program.createHelp().visibleCommands(program).map(section).join('\n\n');
}

/** Escapes the characters that Markdown interprets in the middle of a sentence. */
function escaped(text: string): string {
  return text.replaceAll(/[*_<>]/g, String.raw`\$&`);
}

function section(command: CommandUnknownOpts): string {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const usage = `cloud-compute ${command.name()} ${command.usage()}`;
  const argument = (name: string): string => `\`${name}\``;
  return [
    `### \`${command.name()}\``,
    escaped(command.description()) || `${command.summary()[0]?.toUpperCase()}${command.summary().slice(1)}.`,
    `\`\`\`text\n${usage}\n\`\`\``,
    ...(options.length > 0
      ? [
          table(
            ['Option', 'Effect'],
            options.map((option) => [argument(option.flags), effect(option)]),
          ),
        ]
      : []),
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
