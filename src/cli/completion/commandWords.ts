import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';

/* The words that a shell completes, from the commands of the program. */

/** Completion of a value. `none`: it has no completion. */
export type Value =
  { readonly kind: 'choices'; readonly choices: readonly string[] } | { readonly kind: 'folder' | 'file' | 'none' };

export interface OptionWords {
  /** Such as `--json`. */
  readonly flag: string;
  readonly description: string;
  /** Undefined: the option takes no value. */
  readonly value: Value | undefined;
}

export interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWords[];
  /** The first argument. Undefined: the command takes none. */
  readonly argument: Value | undefined;
}

export function commandWords(program: CommandUnknownOpts): readonly CommandWords[] {
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => {
    // A command with subcommands takes one of them, and then its options.
    const subcommands = help.visibleCommands(command);
    const options = [command, ...subcommands].flatMap((one) => help.visibleOptions(one)).flatMap(optionWords);
    return {
      name: command.name(),
      summary: command.summary(),
      options: [...new Map(options.map((option) => [option.flag, option])).values()],
      argument:
        subcommands.length > 0
          ? { kind: 'choices', choices: subcommands.map((one) => one.name()) }
          : command.registeredArguments.map((argument) => valueOf(argument.argChoices, argument.name()))[0],
    };
  });
}

function optionWords({ long, description, required, optional, argChoices, flags }: Option): readonly OptionWords[] {
  if (long == null) return [];
  const value = required || optional ? valueOf(argChoices, /<(\w+)>/.exec(flags)?.[1]) : undefined;
  return [{ flag: long, description: firstClause(description), value }];
}

function valueOf(choices: readonly string[] | undefined, name: string | undefined): Value {
  if (choices) return { kind: 'choices', choices };
  if (name === 'folder' || name === 'dir') return { kind: 'folder' };
  return { kind: name === 'file' ? 'file' : 'none' };
}

/** Returns the part of a description that fits a line of a list. */
function firstClause(description: string): string {
  return description.split(/[;(]/)[0]?.trim() ?? '';
}
