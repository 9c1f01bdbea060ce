/** What the shell completes: commands, options and their values by @bomb.sh/tab, files by the shell itself. */
import addCompletion from '@bomb.sh/tab/commander';
import {
  ShellCompDirective,
  type Argument,
  type ArgumentHandler,
  type Option,
  type OptionHandler,
  type RootCommand,
} from '@bomb.sh/tab';
import { Command } from 'commander';
import type { ConfiguredNames } from './configured-names.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The commands of completion itself: the script, and what it calls. */
const OWN_COMMANDS = ['complete', 'completion'];

/**
 * Prints on stdout what may follow: `words` are those after `vodhouse`, the last one is being typed. A line for each candidate,
 * and at the end `:0` where the shell may complete files, or `:4`.
 */
export async function printCandidates(program: Command, words: readonly string[]): Promise<void> {
  const root = createRoot(program);
  if (words.some((word) => WITH_NAMES.test(word))) {
    const { readConfiguredNames } = await import('./configured-names.ts');
    const names = readConfiguredNames(words);
    if (names) completeNames(root, names);
  }
  if (words.some((word) => /^--table(?:=.*)?$/.test(word))) {
    const { createMarts } = await import('../publishing/marts/marts.ts');
    const { all } = createMarts({ durationUnit: 'ms', exclude: [] });
    const tables = all.map(({ name, description }) => ({ value: name, description }));
    setHandler(root.commands.get('export')?.options.get('table'), suggest(tables));
  }
  root.parse([...words]);
}

/** Words after which a name of the config may follow. Only then it is read. */
const WITH_NAMES = /^(?:correct|resume|--(?:package|rebuild|target)(?:=.*)?)$/;

function completeNames(root: RootCommand, { accounts, packages, targets }: ConfiguredNames): void {
  for (const { arguments: given, options } of root.commands.values()) {
    setHandler(given.get('account'), suggest(accounts));
    setHandler(options.get('rebuild'), suggest(accounts));
    setHandler(options.get('package'), suggest(packages));
    setHandler(options.get('target'), suggest(targets));
  }
}

function suggest(candidates: ConfiguredNames['accounts']): OptionHandler & ArgumentHandler {
  return (complete) => {
    for (const { value, description } of candidates) complete(value, description);
  };
}

/** Prints on stdout the script that a user sources; it calls `vodhouse complete`. */
export function printScript(program: Command, shell: Shell): void {
  if (shell === 'bash') process.stdout.write(BASH_SCRIPT);
  else createRoot(program).setup('vodhouse', 'vodhouse', shell);
}

/** The commands of the program for the library. It adds commands of its own to what it gets, so that is a copy. */
function createRoot(program: Command): RootCommand {
  const copy = new Command(program.name()).version(program.version() ?? '');
  for (const each of program.commands) if (!OWN_COMMANDS.includes(each.name())) copy.addCommand(each);
  const root = addCompletion(copy);
  root.commands.delete('complete');
  root
    .command('completion', 'print the script that completes commands in a shell')
    .argument('shell', (complete) => {
      for (const shell of SHELLS) complete(shell, '');
    });
  completeFiles(root, program);
  return root;
}

/** Lets the shell complete files where `<file>` is expected. The library would never do that. */
function completeFiles(root: RootCommand, program: Command): void {
  let isFile = false;
  const handler = () => void (isFile = true);
  for (const command of program.commands) {
    const known = root.commands.get(command.name());
    const files = command.options.filter(({ flags }) => flags.includes('<file>'));
    for (const { long } of files) setHandler(known?.options.get(long?.slice(2) ?? ''), handler);
    setHandler(known?.arguments.get('file'), handler);
  }
  const { ShellCompDirectiveDefault, ShellCompDirectiveNoFileComp } = ShellCompDirective;
  const get = () => (isFile ? ShellCompDirectiveDefault : ShellCompDirectiveNoFileComp);
  Object.defineProperty(root, 'directive', { get, set: () => undefined });
}

function setHandler(known: Option | Argument | undefined, handler: OptionHandler & ArgumentHandler): void {
  if (known) known.handler = handler;
}

/**
 * In place of the library's script, which needs the package bash-completion, evaluates the words of the line again, sets names
 * that two programs cannot both set, and completes no files. bash splits words at `=`: they are joined again.
 */
const BASH_SCRIPT = `# bash completion for vodhouse
_vodhouse() {
  local word value n=0 words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if ((n > 0)) && [[ $word == = || \${words[n - 1]} == --*= ]]; then
      words[n - 1]+=$word
    else
      words[n++]=$word
    fi
  done
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    case $value in
      :4) compopt +o default 2>/dev/null ;;
      :*) ;;
      *) COMPREPLY+=("$value") ;;
    esac
  done < <(vodhouse complete -- "\${words[@]}" 2>/dev/null)
}
complete -o default -F _vodhouse vodhouse
`;
