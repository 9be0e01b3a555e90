/**
 * `completion bash|zsh|fish`: prints a script with which a shell completes commands, options and values by the Tab key.
 * By hand: the libraries for this start Node at every press of Tab.
 */
import { oneOf } from '../../base/fields.ts';
import { argument, type Command, type CommandSummary, defineCommand } from './command.ts';

export function completionCommand(commands: readonly CommandSummary[]): Command {
  return defineCommand({
    name: 'completion',
    json: false,
    summary: 'Print a script that completes this command line in your shell.',
    positionals: ['bash|zsh|fish'],
    notes: [
      'bash: trunkline completion bash > ~/.local/share/bash-completion/completions/trunkline',
      'zsh:  add to ~/.zshrc after compinit: source <(trunkline completion zsh)',
      'fish: trunkline completion fish > ~/.config/fish/completions/trunkline.fish',
    ].join('\n'),
    run: async ({ positionals: [shell = ''], out }) => {
      const write = { bash: bashScript, zsh: zshScript, fish: fishScript };
      out(write[argument('The shell', shell, oneOf('bash', 'zsh', 'fish'))](commands));
    },
  });
}

/** The values of a placeholder that lists them all, such as `on|off`. */
const choicesOf = (placeholder: string): string[] =>
  /^[a-z]+(\|[a-z]+)+$/.test(placeholder) ? placeholder.split('|') : [];

const firstWords = (commands: readonly CommandSummary[]): string[] => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] ?? name)),
];

/** The second words of commands that begin with this one. */
const secondWords = (commands: readonly CommandSummary[], first: string): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));

function bashScript(commands: readonly CommandSummary[]): string {
  const groups = firstWords(commands).filter((first) => secondWords(commands, first).length > 0);
  return `_trunkline() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" candidates=''
  local command="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
    '1 '*) candidates='${firstWords(commands).join(' ')} --help --version' ;;
${groups.map((first) => `    '2 ${first}') candidates='${secondWords(commands, first).join(' ')} --help' ;;`).join('\n')}
    *)
      case "$command" in
${commands.map((command) => `        ${patternOf(command)}) candidates='${wordsOf(command).join(' ')}' ;;`).join('\n')}
      esac
      case "$command $previous" in
${commands.flatMap(bashValues).join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
}
complete -o default -F _trunkline trunkline`;
}

/** Commands of one word are followed by anything. */
const patternOf = ({ name }: CommandSummary): string => (name.includes(' ') ? `'${name}'` : `'${name} '*`);

const wordsOf = ({ options, positionals }: CommandSummary): string[] => [
  ...positionals.flatMap(choicesOf),
  ...Object.keys(options).map((name) => `--${name}`),
];

/** What may follow an option with a value; nothing of ours where that is free, so that the shell offers files. */
function bashValues(command: CommandSummary): string[] {
  return Object.entries(command.options).flatMap(([name, { type, value = '' }]) =>
    type === 'boolean'
      ? []
      : [`        ${patternOf(command)}' --${name}') candidates='${choicesOf(value).join(' ')}' ;;`],
  );
}

function zshScript(commands: readonly CommandSummary[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`;
}

function fishScript(commands: readonly CommandSummary[]): string {
  const lines = firstWords(commands).map((first) => {
    const alone = commands.find(({ name }) => name === first);
    return `complete -c trunkline -f -n __fish_use_subcommand -a ${first}${alone ? ` -d ${quoted(alone.summary)}` : ''}`;
  });
  for (const { name, summary, options, positionals } of commands) {
    const [first = name, second] = name.split(' ');
    const inGroup = `__fish_seen_subcommand_from ${first}`;
    const here = second === undefined ? inGroup : `${inGroup}; and __fish_seen_subcommand_from ${second}`;
    if (second !== undefined) {
      const others = secondWords(commands, first).join(' ');
      const undecided = `${inGroup}; and not __fish_seen_subcommand_from ${others}`;
      lines.push(`complete -c trunkline -f -n ${quoted(undecided)} -a ${second} -d ${quoted(summary)}`);
    }
    const words = positionals.flatMap(choicesOf);
    if (words.length > 0) lines.push(`complete -c trunkline -f -n ${quoted(here)} -a ${quoted(words.join(' '))}`);
    for (const [option, { type, value = '', summary: text }] of Object.entries(options)) {
      const choices = choicesOf(value);
      const given = type === 'boolean' ? '' : choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : ' -r';
      lines.push(`complete -c trunkline -n ${quoted(here)} -l ${option}${given} -d ${quoted(text)}`);
    }
  }
  return lines.join('\n');
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
